"""The timeline's tracks in a real browser: selecting, exposing, sliding, sound, in and out points, the vertical timesheet, 10,000 frames."""

from __future__ import annotations

import io
import math
import struct
import wave
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from test_page_timeline import RULER, SHEET, default_sheet, point, until

import komadori
from komadori.characters import sample
from komadori.studio.exposing import on_step

from browser import PATIENCE_MS, Opener, Studio, frame, settle, visit, wait_for_answer

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture
def ready(page: Page) -> Page:
    wait_for_answer(page)
    page.locator(".stage canvas").focus()
    return page


def tone(path: Path, seconds: float = 3.0) -> Path:
    """Silence for a second, then a tone: what one sees of it is where the tone begins."""
    rate = 8000
    samples = [0 if n < rate else round(20000 * math.sin(n / 3)) for n in range(int(rate * seconds))]
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return path


def shown(page: Page) -> list[int]:
    """The source frame of every frame, as the timeline says it (from 0), read by walking through all frames."""
    found = []
    page.keyboard.press("Home")
    for _ in range(len(default_sheet())):
        words = page.get_attribute(".tracks", "aria-valuetext") or ""
        found.append(int(words.rsplit(" ", 1)[1]) - 1)
        page.keyboard.press("ArrowRight")
    return found


def select(page: Page, first: int, last: int) -> None:
    """Selects frames `first` to `last` (not included) with the mouse."""
    page.mouse.move(*point(page, first + 0.5, SHEET))
    page.mouse.down()
    page.mouse.move(*point(page, (first + last) / 2, SHEET))
    page.mouse.move(*point(page, last - 0.5, SHEET))
    page.mouse.up()
    assert page.locator("#selected").inner_text() == f"{first + 1}–{last}"


def test_a_range_is_selected_and_set_on_twos_in_one_step(ready: Page) -> None:
    source = default_sheet()
    wanted = on_step(source, 60, 90, 2, len(source)).in_place(source)
    select(ready, 60, 90)
    ready.get_by_role("button", name="Set on twos").click()
    ready.wait_for_selector("text=Reset the sheet")
    assert shown(ready) == wanted
    ready.keyboard.press("Control+z")
    ready.wait_for_selector("text=Reset the sheet", state="detached")
    assert shown(ready) == source


def test_a_range_is_copied_and_pasted_by_keys(ready: Page) -> None:
    source = default_sheet()
    select(ready, 70, 80)
    ready.keyboard.press("Control+c")
    ready.keyboard.press("Home")
    for _ in range(20):
        ready.keyboard.press("ArrowRight")
    ready.keyboard.press("Control+v")
    ready.wait_for_selector("text=Reset the sheet")
    assert shown(ready) == [*source[:20], *source[70:80], *source[30:]]


def test_a_drawing_is_dragged_along_after_it_was_chosen(ready: Page) -> None:
    source = default_sheet()
    begins = [n for n in range(1, len(source)) if source[n] != source[n - 1]]
    start, end, finish = next(
        (a, b, c) for a, b, c in zip(begins, begins[1:], begins[2:], strict=False) if b - a >= 2 and c - b >= 3
    )
    middle = (start + end) / 2
    ready.mouse.click(*point(ready, middle, SHEET))
    assert ready.locator("#selected").inner_text() == f"{start + 1}–{end}"
    ready.mouse.move(*point(ready, middle, SHEET))
    ready.mouse.down()
    ready.mouse.move(*point(ready, middle + 1, SHEET))
    ready.mouse.up()
    ready.wait_for_selector("text=Reset the sheet")
    wanted = [*source[:start], source[start - 1], *source[start:end], *source[end + 1 : finish], *source[finish:]]
    assert shown(ready) == wanted


def test_a_muted_body_is_shown_on_every_frame(ready: Page) -> None:
    source = default_sheet()
    ready.get_by_role("button", name="Show every frame instead").click()
    ready.get_by_role("button", name="Show this row's timing").wait_for()
    assert shown(ready) == list(range(len(source)))
    ready.get_by_role("button", name="Show this row's timing").click()
    ready.get_by_role("button", name="Show every frame instead").wait_for()
    assert shown(ready) == source


def test_the_hair_waves_as_a_cel_of_its_own(ready: Page) -> None:
    tip = """() => {
        const chain = [...document.querySelectorAll('canvas')].length && window.probe.bones('result');
        return chain.flatMap((bone) => bone.quaternion.toArray());
    }"""
    ready.keyboard.press("ArrowRight")
    before = np.array(ready.evaluate(tip))
    ready.get_by_role("button", name="Hair: Unmute").click()
    ready.get_by_role("button", name="Hair: Mute").wait_for()
    ready.wait_for_function(
        f"before => ({tip})().some((value, n) => Math.abs(value - before[n]) > 0.01)", arg=before.tolist()
    )
    ready.get_by_role("button", name="Hair: Mute").click()
    ready.wait_for_function(
        f"before => ({tip})().every((value, n) => Math.abs(value - before[n]) < 1e-6)", arg=before.tolist()
    )


def test_the_range_between_in_and_out_is_played_forth_and_back(ready: Page) -> None:
    for _ in range(30):
        ready.keyboard.press("ArrowRight")
    ready.keyboard.press("[")
    for _ in range(7):
        ready.keyboard.press("ArrowRight")
    ready.keyboard.press("]")
    ready.get_by_text("31–38 ×").wait_for()
    ready.get_by_role("button", name="Ping-pong").click()
    ready.evaluate(
        """() => {
            window.seen = [];
            const tracks = document.querySelector('.tracks');
            new MutationObserver(() => window.seen.push(Number(tracks.getAttribute('aria-valuenow'))))
                .observe(tracks, { attributes: true, attributeFilter: ['aria-valuenow'] });
        }"""
    )
    ready.keyboard.press("Space")
    ready.wait_for_function("() => window.seen.length > 25", timeout=PATIENCE_MS)
    ready.keyboard.press("Space")
    seen = ready.evaluate("window.seen")
    assert min(seen) >= 31
    assert max(seen) <= 38
    ways = np.sign(np.diff(seen))
    assert (ways < 0).any()
    assert (ways > 0).any()
    # Back it goes frame by frame, and does not leap to the start of the range.
    assert ((np.diff(seen) < 0) & (np.diff(seen) >= -4)).any()
    ready.get_by_role("button", name="Clear the in and out points").click()
    ready.locator("#shot-range").wait_for(state="detached")


def test_sound_is_seen_heard_while_scrubbing_and_moved(ready: Page, tmp_path: Path) -> None:
    ready.evaluate(
        """() => {
            window.heard = [];
            const start = AudioBufferSourceNode.prototype.start;
            AudioBufferSourceNode.prototype.start = function (...given) { window.heard.push(given); start.apply(this, given); };
        }"""
    )
    ready.get_by_label("Add sound").last.set_input_files(tone(tmp_path / "line.wav"))
    ready.get_by_text("Sound", exact=True).wait_for()
    box = ready.locator(".tracks").bounding_box()
    assert box
    ready.wait_for_function("() => document.querySelector('.tracks').getBoundingClientRect().height > 150")
    ready.mouse.move(*point(ready, 20.5, RULER))
    ready.mouse.down()
    ready.mouse.move(*point(ready, 48.5, RULER))
    ready.mouse.up()
    ready.wait_for_function("() => window.heard.length > 0")
    _, at, lasting = ready.evaluate("window.heard.at(-1)")
    assert at == pytest.approx(2.0, abs=0.01)
    assert 0 < lasting < 0.2
    # The waveform: nothing in the first second, a tone behind it.
    loud = loudness(ready)
    second = len(loud) * 24 // len(default_sheet())
    assert loud[5 : second - 5].max() <= 2
    assert loud[second + 5 : 2 * second].min() > 10
    before = len(ready.evaluate("window.heard"))
    ready.get_by_role("button", name="Mute", exact=True).click()
    ready.get_by_role("button", name="Unmute", exact=True).wait_for()
    ready.keyboard.press("ArrowRight")
    assert len(ready.evaluate("window.heard")) == before
    ready.keyboard.press("Control+z")
    ready.get_by_role("button", name="Remove the sound").click()
    ready.get_by_text("Sound", exact=True).wait_for(state="detached")


def test_an_mp3_is_heard_too(ready: Page, tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    with av.open(str(tmp_path / "line.mp3"), "w") as file:
        stream = file.add_stream("libmp3lame", rate=44_100, layout="mono")
        second = np.sin(2 * np.pi * 440.0 * np.arange(44_100) / 44_100)
        wave = (20_000 * np.concatenate([0 * second, second, second])).astype(np.int16)
        frame = av.AudioFrame.from_ndarray(wave[None], format="s16p", layout="mono")
        frame.sample_rate = 44_100
        file.mux(stream.encode(frame))
        file.mux(stream.encode())
    ready.get_by_label("Add sound").last.set_input_files(tmp_path / "line.mp3")
    ready.get_by_text("Sound", exact=True).wait_for()
    ready.wait_for_function("() => document.querySelector('.tracks').getBoundingClientRect().height > 150")
    settle(ready)
    loud = loudness(ready)
    second_px = len(loud) * 24 // len(default_sheet())
    assert loud[5 : second_px - 10].max() <= 2
    assert loud[second_px + 10 : 2 * second_px].min() > 10


def test_another_frame_rate_is_chosen_and_taken_back(ready: Page) -> None:
    for _ in range(24):
        ready.keyboard.press("ArrowRight")
    ready.get_by_label("Frame rate").select_option("12")
    ready.wait_for_function("() => Number(document.querySelector('.tracks').ariaValueMax) < 70")
    assert frame(ready) == 13, "the same second"
    settle(ready)
    ready.locator(".stage canvas").focus()
    ready.keyboard.press("Control+z")
    ready.get_by_role("status").filter(has_text="Undone: the frame rate").wait_for()
    until(ready, f"/ {len(default_sheet())} ")
    assert ready.get_by_label("Frame rate").input_value() == "24"
    assert frame(ready) == 25


def loudness(page: Page) -> np.ndarray:
    """How high the waveform is in every column of the timeline, in pixels."""
    from PIL import Image

    picture = np.asarray(Image.open(io.BytesIO(page.locator(".tracks").screenshot())).convert("RGB")).astype(int)
    row = picture[-36:-6]
    blue = (row[..., 2] - row[..., 0] > 40) & (row[..., 2] > 120)
    return blue.sum(axis=0)


def test_a_file_that_is_no_sound_is_refused_in_one_line(ready: Page, tmp_path: Path) -> None:
    (tmp_path / "noise.wav").write_bytes(b"nothing of the sort")
    ready.get_by_label("Add sound").last.set_input_files(tmp_path / "noise.wav")
    ready.wait_for_selector(".troubles p")
    (message,) = ready.locator(".troubles p").all_text_contents()
    assert "noise.wav" in message
    assert ".wav" in message
    assert str(tmp_path) not in message


def test_the_vertical_timesheet_selects_and_follows(ready: Page) -> None:
    ready.keyboard.press("t")
    sheet = ready.locator(".xsheet-scroll")
    sheet.wait_for()
    box = sheet.bounding_box()
    assert box
    ready.mouse.move(box["x"] + 60, box["y"] + 17 * 4 + 8)
    ready.mouse.down()
    ready.mouse.move(box["x"] + 60, box["y"] + 17 * 9 + 8, steps=4)
    ready.mouse.up()
    assert frame(ready) == 10
    assert ready.locator("#selected").inner_text() == "5–10"
    ready.keyboard.press("End")
    ready.wait_for_function("() => document.querySelector('.xsheet-scroll').scrollTop > 500")
    assert frame(ready) == len(default_sheet())
    sheet.focus()
    ready.keyboard.press("ArrowUp")
    assert frame(ready) == len(default_sheet()) - 1
    ready.keyboard.press("t")
    sheet.wait_for(state="hidden")


def test_the_timeline_is_resized_by_hand_and_by_keys(ready: Page) -> None:
    def high() -> float:
        box = ready.locator(".tracks").bounding_box()
        assert box
        return box["height"]

    usual = high()
    grip = ready.locator(".grip").bounding_box()
    assert grip
    ready.mouse.move(600, grip["y"] + 4)
    ready.mouse.down()
    ready.mouse.move(600, grip["y"] - 76, steps=4)
    ready.mouse.up()
    assert high() == pytest.approx(usual + 80, abs=2)
    ready.locator(".grip").focus()
    ready.keyboard.press("ArrowDown")
    assert high() == pytest.approx(usual + 68, abs=2)
    ready.reload()
    ready.wait_for_selector(".stage[data-shown]")
    assert high() == pytest.approx(usual + 68, abs=2)


def long_clip(path: Path, frames: int) -> Path:
    """The built-in walk again and again, so many frames."""
    walk = sample("walk")
    komadori.save(walk.taken(np.arange(frames) % len(walk)), path)
    return path


def test_ten_thousand_frames_are_scrubbed_by_moving_the_playhead_alone(
    studios: Opener, empty_page: Page, tmp_path: Path
) -> None:
    """Script time of a pointer's move, by the profiler of the browser: not drawing, which is software here."""
    studio: Studio = studios(tmp_path / "project", long_clip(tmp_path / "long.bvh", 10_000))
    page = empty_page
    visit(page, studio.address)
    until(page, r"/ 10000 ")
    wait_for_answer(page)
    box = page.locator(".tracks").bounding_box()
    assert box
    page.evaluate(
        """() => {
            const pen = document.querySelector('.tracks').getContext('2d');
            window.drawn = 0;
            window.moving = false;
            // What an answer draws that happens to come meanwhile is no part of a move.
            addEventListener('pointermove', () => { window.moving = true; }, { capture: true });
            addEventListener('pointermove', () => { window.moving = false; });
            for (const name of ['fillRect', 'stroke', 'fillText', 'clearRect']) {
                const draw = pen[name].bind(pen);
                pen[name] = (...given) => { if (window.moving) window.drawn += 1; draw(...given); };
            }
            // Time within the page's own listeners, without the pictures that come after them.
            window.spent = [];
            const tracks = document.querySelector('.tracks');
            addEventListener('pointermove', (event) => { if (event.target === tracks) window.began = performance.now(); }, { capture: true });
            addEventListener('pointermove', (event) => { if (event.target === tracks) window.spent.push(performance.now() - window.began); });
        }"""
    )
    page.mouse.move(box["x"] + 10, box["y"] + RULER)
    page.mouse.down()
    for n in range(60):
        page.mouse.move(box["x"] + 10 + n * (box["width"] - 20) / 60, box["y"] + RULER)
    page.mouse.up()
    spent: list[float] = page.evaluate("window.spent")
    assert page.evaluate("window.drawn") == 0
    assert frame(page) > 9000
    assert len(spent) > 20
    # The median: a busy machine may take the processor away in any one of them.
    assert float(np.median(spent)) < 16.0
    heap: dict[str, Any] = page.evaluate("() => ({ used: performance.memory.usedJSHeapSize })")
    page.keyboard.press("Home")
    for n in range(200):
        page.mouse.move(box["x"] + 10 + (n % 60) * 15, box["y"] + RULER)
    after: dict[str, Any] = page.evaluate("() => ({ used: performance.memory.usedJSHeapSize })")
    assert after["used"] < heap["used"] + 64e6
