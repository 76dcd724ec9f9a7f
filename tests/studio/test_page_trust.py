"""What makes an animator trust the page: undo that is seen, edits that stay, a line that comes back, words that are true."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from avatars import girl_vrm

from browser import (
    PATIENCE_MS,
    Faults,
    Opener,
    Studio,
    new_page,
    settle,
    still,
    troubles,
    visit,
    wait_for_answer,
    wait_for_body,
    wait_for_spots,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CONNECTION = r"WebSocket connection|ERR_CONNECTION|Failed to load resource"
"""What a browser says of a server that is not there."""


@pytest.fixture
def ready(page: Page) -> Page:
    wait_for_answer(page)
    page.locator(".stage canvas").focus()
    return page


def told(page: Page) -> str:
    return page.get_attribute(".tracks", "aria-valuetext") or ""


def until(page: Page, pattern: str) -> None:
    """Waits until the timeline says something that matches."""
    page.wait_for_function(
        "pattern => new RegExp(pattern).test(document.querySelector('.tracks').getAttribute('aria-valuetext'))",
        arg=pattern,
    )


def slider(page: Page, name: str) -> tuple[Any, Any]:
    """The slider of a parameter and the number beside it."""
    row = page.locator(f".panel:visible .field:has(label:text-is('{name}'))")
    return row.locator("input[type=range]"), row.locator("input[type=number]")


def dragged(page: Page, name: str, to: float) -> None:
    """Drags a slider with the mouse to `to`, from 0 (its left end) to 1."""
    box = slider(page, name)[0].bounding_box()
    assert box
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.2 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + to * box["width"], y, steps=6)
    page.mouse.up()


def saved(studio: Studio, page: Page) -> dict[str, Any]:
    """The scene on disk, once the header says that it is there."""
    page.wait_for_selector(".saved[data-now=saved]", timeout=PATIENCE_MS)
    found: dict[str, Any] = json.loads((studio.project / "scene.json").read_text(encoding="utf-8"))
    return found


def wait_for_value(page: Page, name: str, value: str) -> None:
    page.wait_for_function(
        """([name, value]) => {
            const rows = [...document.querySelectorAll('.panel:not([hidden]) .field')];
            const row = rows.find(one => one.querySelector('label')?.textContent === name);
            return [...row.querySelectorAll('input')].every(input => input.value === value);
        }""",
        arg=[name, value],
    )


# ---- 1: undo is seen on every control ------------------------------------------------------------------------------------


def test_undo_moves_the_slider_and_the_number_that_were_dragged(ready: Page) -> None:
    number = slider(ready, "omit in-betweens")[1]
    number.fill("4")
    number.press("Enter")
    wait_for_value(ready, "omit in-betweens", "4")
    dragged(ready, "omit in-betweens", 0.8)
    after = slider(ready, "omit in-betweens")[0].input_value()
    assert int(after) > 4
    wait_for_value(ready, "omit in-betweens", after)
    ready.wait_for_selector(".saved[data-now=saved]")
    # The slider still has the keyboard: that is how it looks after a drag.
    assert ready.evaluate("document.activeElement.id") == "field-limited-omit"
    ready.keyboard.press("Control+z")
    wait_for_value(ready, "omit in-betweens", "4")
    ready.keyboard.press("Control+y")
    wait_for_value(ready, "omit in-betweens", after)


def test_undo_sets_a_typed_number_a_choice_and_a_switch_back(ready: Page) -> None:
    _, number = slider(ready, "omit in-betweens")
    number.fill("9")
    number.press("Enter")
    wait_for_value(ready, "omit in-betweens", "9")
    settle(ready)
    number.press("Control+z")
    ready.wait_for_selector("#field-limited-omit-auto[aria-checked=true]")
    settle(ready)
    box = ready.get_by_label("keep the clip's length")
    was = box.is_checked()
    box.set_checked(not was)
    settle(ready)
    ready.keyboard.press("Control+z")
    ready.wait_for_function("was => document.querySelector('#field-limited-keep_length').checked === was", arg=was)
    settle(ready)
    ready.locator("#panel-limited summary", has_text="more").click()
    choice = ready.get_by_label("how holds are chosen")
    first = choice.input_value()
    other = next(
        value for value in choice.locator("option").evaluate_all("all => all.map(o => o.value)") if value != first
    )
    choice.select_option(other)
    settle(ready)
    ready.keyboard.press("Control+z")
    ready.wait_for_function("first => document.querySelector('#field-limited-solver').value === first", arg=first)


def test_a_slider_moved_by_quick_keys_loses_no_step(ready: Page) -> None:
    move, number = slider(ready, "omit in-betweens")
    number.fill("1")
    number.press("Enter")
    wait_for_value(ready, "omit in-betweens", "1")
    settle(ready)
    move.focus()
    for _ in range(10):
        ready.keyboard.press("ArrowRight")
    wait_for_value(ready, "omit in-betweens", "11")


# ---- 14: undo says what it does, and where -----------------------------------------------------------------------------------


def test_undo_shows_the_tab_in_which_it_acts_and_says_what_it_did(ready: Page) -> None:
    dragged(ready, "omit in-betweens", 0.8)
    after = slider(ready, "omit in-betweens")[1].input_value()
    ready.wait_for_selector(".saved[data-now=saved]")
    ready.get_by_role("tab", name="Key poses").click()
    wait_for_answer(ready)
    ready.get_by_role("button", name="Undo").click()
    notice = ready.get_by_role("status").filter(has_text="Undone")
    notice.wait_for()
    assert notice.inner_text() == f"Undone: Limited: omit in-betweens from {after} to auto"
    assert ready.get_attribute("#tab-limited", "aria-selected") == "true"
    ready.get_by_role("button", name="Redo").click()
    ready.get_by_role("status").filter(has_text=f"Redone: Limited: omit in-betweens from auto to {after}").wait_for()


# ---- 5 and 16: edits of the sheet stay ----------------------------------------------------------------------------------------


def test_a_hold_made_by_hand_survives_a_slider_and_a_pin_and_can_be_unlocked(ready: Page, studio: Studio) -> None:
    for _ in range(10):
        ready.keyboard.press("ArrowRight")
    count = int(re.findall(r"/ (\d+)", told(ready))[0])
    ready.keyboard.press("+")
    until(ready, f"/ {count + 1} ")
    ready.keyboard.press("+")
    until(ready, f"/ {count + 2} ")
    source = re.findall(r"source frame (\d+)", told(ready))[0]
    lock = saved(studio, ready)["parts"]["limited"]["locks"]
    assert [item[2] for item in lock] == [int(source) - 1]
    dragged(ready, "omit in-betweens", 0.9)
    settle(ready)
    ready.wait_for_selector("text=edited by hand")
    assert saved(studio, ready)["parts"]["limited"]["locks"] == lock
    ready.locator(".stage canvas").focus()
    ready.keyboard.press("p")
    settle(ready)
    assert saved(studio, ready)["parts"]["limited"]["locks"] == lock
    until(ready, f"/ {count + 2} ")
    # The drawing is still there, as long as it was, and the page shows that it is locked.
    ready.keyboard.press("Home")
    for _ in range(count + 2):
        if f"source frame {source}" in told(ready):
            break
        ready.keyboard.press("ArrowRight")
    assert told(ready).endswith(f"source frame {source}")
    shown = 0
    while told(ready).endswith(f"source frame {source}"):
        assert ready.get_attribute("#sheet-lock", "aria-pressed") == "true"
        shown += 1
        ready.keyboard.press("ArrowRight")
    assert shown == lock[0][3]
    ready.keyboard.press("ArrowLeft")
    ready.get_by_role("button", name="Unlock this drawing").click()
    until(ready, f"/ {count} ")
    ready.wait_for_selector("text=edited by hand", state="detached")


def test_after_a_hand_edit_only_omitted_frames_are_marked(ready: Page) -> None:
    omitted = ".numbers:visible dt:text-is('omitted') + dd"
    before = ready.inner_text(omitted)
    count = int(re.findall(r"/ (\d+)", told(ready))[0])
    ready.keyboard.press("+")
    until(ready, f"/ {count + 1} ")
    settle(ready)
    assert ready.inner_text(omitted) == before
    red = """() => {
        const canvas = document.querySelector('.tracks');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let found = 0;
        for (let n = 0; n < data.length; n += 4) found += data[n] > 200 && data[n + 1] < 100 && data[n + 2] < 130;
        return found;
    }"""
    assert 0 < ready.evaluate(red) < 60 * max(int(before), 1)


# ---- 11: the playhead is what is pinned, and frames are counted from 1 -----------------------------------------------------------


def test_p_in_key_poses_pins_the_frame_under_the_playhead(ready: Page, studio: Studio) -> None:
    ready.get_by_role("tab", name="Key poses").click()
    ready.wait_for_selector("#panel-keyposes .strip button")
    ready.locator(".stage canvas").focus()
    settle(ready)
    for _ in range(16):
        ready.keyboard.press("ArrowRight")
    until(ready, "^frame 17 ")
    ready.keyboard.press("p")
    ready.wait_for_selector("#pose-16")
    assert saved(studio, ready)["parts"]["keyposes"]["options"]["pins"] == [16]
    until(ready, "source frame 17$")
    settle(ready)
    ready.locator("#panel-keyposes summary", has_text="more").click()
    assert ready.locator("#panel-keyposes label", has_text="pinned frames").is_visible()
    ready.wait_for_function("() => document.querySelector('#field-keyposes-pins').value === '17'")
    ready.locator(".stage canvas").focus()
    ready.keyboard.press("p")
    ready.wait_for_function("() => document.querySelector('#panel-keyposes #field-keyposes-pins').value === ''")


# ---- 2: the puppet stays in its tab -----------------------------------------------------------------------------------------------


def test_a_puppets_pose_does_not_leak_into_other_tabs(
    studios: Opener, empty_page: Page, tmp_path: Path, vrm: Path
) -> None:
    page = empty_page
    visit(page, studios(tmp_path / "project", vrm).address)
    wait_for_answer(page)
    places = "() => window.probe.world('result')"
    page.keyboard.press("Home")
    still(page, places)
    before = page.evaluate(places)
    page.get_by_role("tab", name="Puppet").click()
    wait_for_spots(page, "right_hand")
    page.keyboard.press("k")
    page.wait_for_function("() => document.querySelectorAll('#puppet-keys li').length === 1")
    page.keyboard.press(".")
    page.wait_for_function("() => window.probe.heard.pose")
    page.get_by_role("tab", name="Limited").click()
    wait_for_answer(page)
    still(page, places)
    after = page.evaluate(places)
    assert len(before) == len(after) > 20
    assert max(abs(a - b) for one, two in zip(before, after, strict=True) for a, b in zip(one, two, strict=True)) < 1e-4


# ---- 6: the line comes back --------------------------------------------------------------------------------------------------------


def test_the_page_finds_the_studio_again_after_a_restart_and_brings_what_waited(
    studios: Opener, empty_page: Page, tmp_path: Path, faults: Faults
) -> None:
    faults.expect(CONNECTION)
    studio, page = studios(tmp_path / "project"), empty_page
    visit(page, studio.address)
    wait_for_answer(page)
    dragged(page, "omit in-betweens", 0.5)
    page.wait_for_selector(".saved[data-now=saved]")
    studio.kill()
    page.wait_for_selector("text=connection lost")
    assert page.inner_text(".saved") == "not connected"
    _, number = slider(page, "omit in-betweens")
    number.fill("7")
    number.press("Enter")
    page.wait_for_selector(".saved[data-now='changes wait']")
    page.locator(".stage canvas").focus()
    page.keyboard.press("+")
    page.wait_for_selector("text=do it again when it is back")
    again = studios(tmp_path / "project")
    assert (again.address, again.token) == (studio.address, studio.token)
    page.wait_for_selector("text=connection lost", state="detached")
    page.wait_for_selector(".saved[data-now=saved]")
    assert saved(again, page)["parts"]["limited"]["options"] == {"omit": 7}
    wait_for_value(page, "omit in-betweens", "7")
    wait_for_body(page)
    page.reload()
    wait_for_body(page)
    wait_for_value(page, "omit in-betweens", "7")


def test_what_was_sent_but_not_saved_when_the_studio_was_killed_is_said_again(
    studios: Opener, empty_page: Page, tmp_path: Path, faults: Faults
) -> None:
    faults.expect(CONNECTION)
    studio, page = studios(tmp_path / "project"), empty_page
    visit(page, studio.address)
    wait_for_answer(page)
    page.wait_for_selector(".saved[data-now=saved]")
    _, number = slider(page, "omit in-betweens")
    number.fill("11")
    number.press("Enter")
    studio.kill()
    page.wait_for_selector("text=connection lost")
    again = studios(tmp_path / "project")
    page.wait_for_selector("text=connection lost", state="detached")
    page.wait_for_selector(".saved[data-now=saved]")
    assert saved(again, page)["parts"]["limited"]["options"] == {"omit": 11}


def test_two_pages_stay_in_step(chromium: Browser, studio: Studio, page: Page, faults: Faults) -> None:
    wait_for_answer(page)
    other = new_page(chromium, faults)
    visit(other, studio.address)
    wait_for_answer(other)
    dragged(page, "omit in-betweens", 0.7)
    value = slider(page, "omit in-betweens")[1].input_value()
    wait_for_value(other, "omit in-betweens", value)
    settle(page)
    settle(other)
    other.locator(".stage canvas").focus()
    count = int(re.findall(r"/ (\d+)", told(page))[0])
    other.keyboard.press("+")
    until(page, f"/ {count + 1} ")
    page.keyboard.press("Control+z")
    until(other, f"/ {count} ")
    page.select_option("header select >> nth=0", "sample:walk")
    wait_for_body(other)
    other.wait_for_function("() => document.querySelector('header select').value === 'sample:walk'")
    other.close()


# ---- 12: what cannot be exported is said in the dialog ------------------------------------------------------------------------------


def test_an_export_that_fails_says_so_in_its_dialog(ready: Page) -> None:
    ready.get_by_role("button", name="Export").click()
    dialog = ready.locator("#export-dialog")
    dialog.get_by_label("What").select_option("puppet")
    dialog.locator("input[value='motion .bvh']").check()
    dialog.get_by_role("button", name="Export").click()
    dialog.get_by_role("alert").filter(has_text="the puppet plays nothing yet").wait_for()
    assert troubles(ready) == []


def test_a_vrm_is_offered_for_a_body_that_can_be_one_alone(
    studios: Opener, empty_page: Page, tmp_path: Path, vrm: Path
) -> None:
    page = empty_page
    visit(page, studios(tmp_path / "project", vrm).address)
    wait_for_answer(page)
    page.get_by_role("button", name="Export").click()
    box = page.locator("#export-dialog input[value='character .vrm']")
    assert box.is_enabled()
    page.get_by_label("What").select_option("translate")
    assert not box.is_enabled()
    page.keyboard.press("Escape")
    page.get_by_label("Character", exact=True).select_option("character:horse")
    wait_for_body(page, "horse")
    page.get_by_role("button", name="Export").click()
    page.wait_for_function("() => document.querySelector(\"#export-dialog input[value='character .vrm']\").disabled")


# ---- 17: a file that is not there -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "said"), [("nothere.bvh", None, "File not found: "), ("broken.bvh", b"HIER", "broken.bvh")]
)
def test_a_file_that_cannot_be_opened_fails_in_the_terminal(
    tmp_path: Path, name: str, data: bytes | None, said: str
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    command = [sys.executable, "-m", "komadori", "studio", "--no-browser", "--project", str(tmp_path / "project"), name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "project").exists()


@pytest.fixture(scope="module")
def vrm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An avatar whose hips hang below a root that stays where it is, as most have them."""
    path = tmp_path_factory.mktemp("vrm") / "girl.vrm"
    path.write_bytes(girl_vrm())
    return path
