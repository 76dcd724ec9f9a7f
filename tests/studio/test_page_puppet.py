"""The puppet in a real browser: a newcomer's first motion, dragging, undo, and how long a pose takes."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from avatars import with_fingers

from komadori.characters import character, sample
from komadori.formats import encoded, load

from browser import Faults, Opener, Studio, settle, spots, still, troubles, visit, wait_for_spot, wait_for_spots

if TYPE_CHECKING:
    from playwright.sync_api import Page

FRAME_MS = 1000.0 / 60.0
ROUNDS = 3


def open_puppet(page: Page) -> None:
    page.click("#tab-puppet")
    # Things stand still once the stage has its whole width and has been drawn so.
    wait_for_spots(page, "right_hand")


def drag(page: Page, name: str, dx: float, dy: float, steps: int = 8) -> None:
    """Takes a thing by the mouse and draws it `dx`, `dy` pixels away, once it stands still."""
    wait_for_spots(page, name)
    x, y = spots(page)[name]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y + dy, steps=steps)
    page.mouse.up()


def saved(page: Page, studio: Studio, ready: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The puppet on disk, once it is as expected there: it is saved as one goes."""
    file = studio.project / "scene.json"
    for _ in range(300):
        if file.exists():
            puppet: dict[str, Any] = json.loads(file.read_text("utf-8"))["puppet"]
            if ready(puppet):
                return puppet
        page.wait_for_timeout(100)
    raise AssertionError("the scene on disk never became as expected")


def keys(page: Page, count: int) -> None:
    page.wait_for_function(f"() => document.querySelectorAll('#puppet-keys li').length === {count}")


def test_a_newcomer_sets_three_keys_and_records_a_motion(page: Page, studio: Studio) -> None:
    open_puppet(page)
    steps = page.locator(".card li")
    assert steps.nth(0).get_attribute("aria-current") == "step"
    # 1: a pose, and a key for it.
    drag(page, "right_hand", 60, 120)
    page.wait_for_selector(".hand .said:has-text('press K')")
    page.keyboard.press("k")
    keys(page, 1)
    assert "done" in (steps.nth(0).get_attribute("class") or "")
    # 2: the handle elsewhere, another pose, another key; twice.
    drag(page, "handle", 20, -120)
    drag(page, "right_hand", -20, -200)
    page.keyboard.press("k")
    keys(page, 2)
    drag(page, "handle", -90, 100)
    drag(page, "right_hand", -60, 60)
    drag(page, "left_hand", -40, 130)
    page.keyboard.press("k")
    keys(page, 3)
    assert "done" in (steps.nth(1).get_attribute("class") or "")
    # 3: record.
    wait_for_spots(page, "handle")
    page.keyboard.press("r")
    x, y = spots(page)["handle"]
    page.mouse.move(x, y)
    page.mouse.down()
    for n in range(30):
        page.mouse.move(x + 80 * np.sin(n / 5), y - 6 * n + 40 * np.cos(n / 4))
    page.mouse.up()
    page.wait_for_selector("#puppet-takes li.shown")
    # It plays at once, in a loop.
    page.wait_for_selector(".transport button[aria-label='Pause']")
    assert "done" in (steps.nth(2).get_attribute("class") or "")
    assert troubles(page) == []
    puppet = saved(page, studio, lambda found: bool(found["takes"]))
    assert len(puppet["keys"]) == 3
    (take,) = puppet["takes"]
    assert len(take["times"]) >= 6
    assert len(take["path"]) == 3 * len(take["times"])
    assert (np.diff(take["times"]) > 0).all()
    path = np.reshape(take["path"], (-1, 3))
    assert np.ptp(path[:, 1]) > 0.2
    poses = np.array([key["pose"]["rotations"] for key in puppet["keys"]])
    assert np.ptp(poses, axis=0).max() > 0.2


def test_everything_is_undone_step_by_step(page: Page, studio: Studio) -> None:
    open_puppet(page)
    page.keyboard.press("k")
    keys(page, 1)
    drag(page, "handle", 0, -100)
    drag(page, "right_hand", 40, 100)
    page.wait_for_selector(".hand .said:has-text('press K')")
    posed = settled(page)["right_hand"]
    page.keyboard.press("k")
    keys(page, 2)
    page.keyboard.press("Control+z")
    keys(page, 1)
    # The pose is in the hand again, as it was before it became a key; one step more and it is at rest.
    page.wait_for_selector(".hand .said:has-text('press K')")
    assert np.abs(np.subtract(settled(page)["right_hand"], posed)).max() <= 2
    page.keyboard.press("Control+z")
    page.wait_for_selector(".hand .said:not(:has-text('press K'))")
    page.keyboard.press("Control+y")
    page.keyboard.press("Control+y")
    keys(page, 2)


def test_the_ball_goes_along_the_screen_and_its_shadow_along_the_ground(page: Page) -> None:
    open_puppet(page)
    x, y = settled(page)["handle"]
    drag(page, "handle", 70, -60)
    wait_for_spot(page, "handle", x + 70, y - 60)
    after = spots(page)
    x, y = after["handle shadow"]
    drag(page, "handle shadow", 30, 20)
    wait_for_spot(page, "handle shadow", x + 30, y + 20)
    last = spots(page)
    # Along the ground the height stays: the ball's way on the screen is another than the shadow's, and not none.
    assert last["handle"] != after["handle"]
    height = page.locator("#puppet-handle-y").input_value()
    drag(page, "handle shadow", -25, -10)
    assert page.locator("#puppet-handle-y").input_value() == height


def test_a_key_is_moved_renamed_and_deleted(page: Page, studio: Studio) -> None:
    open_puppet(page)
    page.keyboard.press("k")
    keys(page, 1)
    drag(page, "handle", 0, -120)
    page.keyboard.press("k")
    keys(page, 2)
    wait_for_spots(page, "key 1")
    x, y = spots(page)["key 1"]
    drag(page, "key 1", 50, 10)
    wait_for_spot(page, "key 1", x + 50, y + 10)
    page.locator("#puppet-keys input").first.fill("low")
    page.locator("#puppet-keys input").first.press("Enter")
    page.wait_for_selector("#puppet-keys li[data-key='low']")
    page.click("#puppet-keys li[data-key='low'] button[aria-label='Go to this key']")
    page.keyboard.press("Delete")
    keys(page, 1)
    saved(page, studio, lambda found: [key["name"] for key in found["keys"]] == ["key 2"])


def test_an_empty_timeline_says_what_to_do_next(page: Page) -> None:
    open_puppet(page)
    hint = page.locator(".lanes .empty")
    hint.get_by_text("Nothing is recorded yet: make a pose on the stage and press K").wait_for()
    page.keyboard.press("k")
    hint.get_by_text("make another pose and press K").wait_for()
    for dy in (-60, -60):
        drag(page, "handle", 0, dy)
        page.keyboard.press("k")
    keys(page, 3)
    hint.get_by_text("Press R and drag the pink handle").wait_for()
    page.click("header button:has-text('日本語')")
    hint.get_by_text("R を押してピンクのハンドルをドラッグします").wait_for()
    record(page)
    page.wait_for_selector("#puppet-takes li.shown")
    # What was recorded stands there in its place, and the other tabs have their own timelines.
    hint.wait_for(state="hidden")
    page.click("#tab-limited")
    assert not hint.is_visible()


def test_recording_without_a_key_says_what_to_do(page: Page) -> None:
    open_puppet(page)
    page.keyboard.press("r")
    page.wait_for_selector(".troubles p")
    assert troubles(page) == ["add a key first: press K"]


def record(page: Page) -> None:
    wait_for_spots(page, "handle")
    page.keyboard.press("r")
    x, y = spots(page)["handle"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 80, steps=15)
    page.mouse.up()


def settled(page: Page) -> dict[str, list[float]]:
    """Where things are once nothing moves any more."""
    still(page, "() => window.probe.spots()")
    return spots(page)


def two_keys(page: Page) -> None:
    """One at rest, and one above it with the right hand lowered."""
    open_puppet(page)
    page.keyboard.press("k")
    keys(page, 1)
    drag(page, "handle", 0, -60)
    drag(page, "right_hand", 40, 60)
    page.keyboard.press("k")
    keys(page, 2)


def test_takes_are_smoothed_slowed_retimed_and_put_in_sequence(page: Page, studio: Studio) -> None:
    two_keys(page)
    record(page)
    page.wait_for_selector("#puppet-takes li")
    length = page.locator("#puppet-takes input[type=number]")
    length.fill("3")
    length.press("Enter")
    page.click("#puppet-takes button[aria-label='Smooth']")
    page.click("#puppet-takes button[aria-label='Perform its timing again']")
    page.mouse.move(5, 300)
    wait_for_spots(page, "handle")
    x, y = spots(page)["handle"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y, steps=10)
    page.mouse.up()
    page.wait_for_selector(".transport button[aria-label='Pause']")
    for _ in range(2):
        page.click("#puppet-takes button[aria-label='Add to the sequence']")
    page.wait_for_function("() => document.querySelectorAll('#puppet-sequence li').length === 2")
    page.click("text=Play the sequence")
    page.wait_for_selector(".transport button[aria-label='Pause']")
    puppet = saved(page, studio, lambda found: found["shown"] == "sequence")
    (take,) = puppet["takes"]
    # It lasts as long as it was performed the second time, however long a busy machine took for that.
    assert take["times"][-1] != pytest.approx(3.0, abs=1e-3)
    assert troubles(page) == []


def test_what_was_recorded_outlives_a_killed_server(empty_page: Page, tmp_path: Path, faults: Faults) -> None:
    faults.expect("WebSocket|ERR_CONNECTION|ERR_EMPTY_RESPONSE")
    page, project = empty_page, tmp_path / "project"
    studio = Studio(project)
    visit(page, studio.address)
    open_puppet(page)
    page.keyboard.press("k")
    keys(page, 1)
    wait_for_spots(page, "handle")
    page.keyboard.press("r")
    x, y = spots(page)["handle"]
    page.mouse.move(x, y)
    page.mouse.down()
    began = time.monotonic()
    steps = 0
    while time.monotonic() - began < 3.0:
        steps += 1
        page.mouse.move(x + 40 * np.sin(steps / 3), y - steps % 50)
    studio.kill()
    again = Studio(project)
    try:
        visit(page, again.address)
        open_puppet(page)
        page.wait_for_selector("#puppet-takes li")
        # Three seconds were performed, and at most the last one may be lost.
        assert float(page.input_value("#puppet-takes input[type=number]")) >= 2.0
    finally:
        again.close()


def test_a_joint_is_turned_by_its_rings(page: Page, studio: Studio) -> None:
    open_puppet(page)
    x, y = spots(page)["head"]
    page.mouse.click(x, y)
    page.wait_for_function("() => Number(document.querySelector('#puppet-joint').value) >= 0")
    joint = int(page.input_value("#puppet-joint"))
    # The ring about the line of sight is a circle about the joint: somewhere to its upper right there is some ring.
    for radius in range(20, 70, 3):
        page.mouse.move(x + 0.7 * radius, y - 0.7 * radius)
        page.mouse.down()
        page.mouse.move(x + radius, y + 10, steps=4)
        page.mouse.up()
        if page.locator(".hand .said:has-text('press K')").count():
            break
    puppet = saved(page, studio, lambda found: found["posed"] is not None)
    skeleton = character("girl").skeleton
    turned = np.reshape(puppet["posed"]["rotations"], (-1, 4))
    away = np.flatnonzero(np.abs(turned - skeleton.rest).max(axis=1) > 1e-4)
    assert away.tolist() == [joint]
    # Escape lets go of the joint first, then of the pose.
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.querySelector('#puppet-joint').value === '-1'")
    page.keyboard.press("Escape")
    saved(page, studio, lambda found: found["posed"] is None)


def test_keys_and_a_take_are_made_with_the_keyboard_alone(page: Page, studio: Studio) -> None:
    open_puppet(page)
    page.keyboard.press("k")
    keys(page, 1)
    page.get_by_text("Handle and joints by numbers").press("Enter")
    page.locator("#puppet-joint").select_option("1")
    page.locator("#puppet-turn-x").press("PageUp")
    page.locator("#puppet-handle-y").press("PageUp")
    page.keyboard.press("k")
    keys(page, 2)
    page.locator("#puppet-handle-y").focus()
    page.keyboard.press("r")
    for _ in range(12):
        page.keyboard.press("ArrowLeft", delay=25)
    page.keyboard.press("r")
    page.wait_for_selector("#puppet-takes li.shown")
    (take,) = saved(page, studio, lambda found: bool(found["takes"]))["takes"]
    heights = take["path"][1::3]
    assert heights[0] - heights[-1] == pytest.approx(0.11, abs=0.03)


@pytest.mark.pictures
def test_a_pose_is_mirrored_and_keys_have_pictures_and_ghosts(page: Page, studio: Studio) -> None:
    two_keys(page)
    page.wait_for_function("() => document.querySelectorAll('#puppet-keys canvas').length === 2")
    colours = """() => [...document.querySelectorAll('#puppet-keys canvas')].every((canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size > 20;
    })"""
    page.wait_for_function(colours)
    hands = [int(joint) for joint in (character("girl").skeleton.roles[f"{side}_hand"] for side in ("left", "right"))]
    heights = f"() => {hands}.map((joint) => window.probe.world('result')[joint][1])"
    still(page, heights)
    left, right = page.evaluate(heights)
    assert abs(left - right) > 0.05
    page.keyboard.press("m")
    page.wait_for_function(
        f"([left, right]) => {{ const [l, r] = ({heights})(); return Math.abs(l - right) < 0.01 && Math.abs(r - left) < 0.01 }}",
        arg=[left, right],
    )
    saved(page, studio, lambda found: found["posed"] is not None)
    # A ghost is a figure more: where the handle stands on a key, only the other one has one.
    figures = (
        "() => { let found = 0; window.probe.each((one) => { found += one.isSkinnedMesh ? 1 : 0; }); return found; }"
    )
    still(page, figures)
    before = page.evaluate(figures)
    page.keyboard.press("o")
    page.wait_for_function(f"before => ({figures})() > before", arg=before)
    page.keyboard.press("o")
    page.wait_for_function(f"before => ({figures})() === before", arg=before)


def test_a_bent_elbow_goes_around_while_the_hand_stays_and_the_neck_is_drawn(page: Page) -> None:
    open_puppet(page)
    drag(page, "right_hand", 45, 60)
    before = settled(page)
    x, y = before["right_lower_arm"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 10, y + 40, steps=6)
    page.mouse.up()
    after = settled(page)
    assert np.hypot(*np.subtract(after["right_lower_arm"], before["right_lower_arm"])) > 8
    assert np.hypot(*np.subtract(after["right_hand"], before["right_hand"])) < 3
    drag(page, "neck", 25, 0)
    assert settled(page)["head"][0] - after["head"][0] > 5


def test_fingers_are_dragged_once_the_hand_is_near(studios: Opener, empty_page: Page, tmp_path: Path) -> None:
    clip = tmp_path / "fingers.bvh"
    clip.write_bytes(encoded(with_fingers(sample("kick")[:4]), clip.name))
    page, studio = empty_page, studios(tmp_path / "project", clip)
    visit(page, studio.address)
    page.get_by_label("Character", exact=True).select_option("")
    open_puppet(page)
    fingers = [f"right_{finger}_distal" for finger in ("thumb", "index", "little")]
    near = settled(page)
    assert not {*fingers} & {*near}, "from afar their dots would cover the hand and each other"
    # From above they lie side by side; the wheel goes to what is under the pointer.
    page.get_by_role("button", name="Top view").click()
    for _ in range(24):
        near = settled(page)
        if {*fingers} <= {*near} and abs(near[fingers[1]][0] - near[fingers[2]][0]) + abs(
            near[fingers[1]][1] - near[fingers[2]][1]
        ) > 55:
            break
        page.mouse.move(*near["right_hand"])
        page.mouse.wheel(0, -240)
    stage = page.locator(".stage canvas").bounding_box()
    assert stage
    for name in (*fingers, "right_hand"):
        x, y = near[name]
        assert 0 < x - stage["x"] < stage["width"], name
        assert 0 < y - stage["y"] < stage["height"], name
    # Near by, too, a dot marks its joint and does not cover its neighbours.
    wide = """() => { let most = 0; window.probe.each((one) => {
        if (one.isMesh && window.probe.spots()[one.name] && one.name.endsWith('_distal')) most = Math.max(most, window.probe.wide(one));
    }); return most; }"""
    assert 2 < page.evaluate(wide) <= 2 * 8 * 1.4
    x, y = near["right_index_distal"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 12, y + 14, steps=6)
    page.mouse.up()
    after = settled(page)
    assert np.hypot(*np.subtract(after["right_index_distal"], near["right_index_distal"])) > 8
    for name in ("right_hand", "right_thumb_distal", "right_little_distal"):
        assert np.hypot(*np.subtract(after[name], near[name])) <= 2, name
    page.wait_for_selector(".hand .said:has-text('press K')")
    # Only the finger's own joints turned, and an undo straightens it.
    body = load(clip).skeleton
    turned = np.reshape(saved(page, studio, lambda found: found["posed"] is not None)["posed"]["rotations"], (-1, 4))
    away = np.flatnonzero(np.abs(turned - body.rest).max(axis=1) > 1e-4)
    assert {body.names[joint] for joint in away} <= {f"right_index_{part}" for part in ("proximal", "intermediate")}
    page.keyboard.press("Control+z")
    saved(page, studio, lambda found: found["posed"] is None)
    assert troubles(page) == []


def test_a_button_that_is_being_pressed_stays_while_answers_come(page: Page, studio: Studio) -> None:
    """Whatever redraws the panel meanwhile waits: the click would go to a button that is no longer there."""
    two_keys(page)
    saved(page, studio, lambda found: found["posed"] is None)
    box = page.locator("#puppet-mirror").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.evaluate("() => document.querySelector('#puppet-keys button[aria-label=Delete]').click()")
    keys(page, 1)
    settle(page)
    page.mouse.up()
    saved(page, studio, lambda found: found["posed"] is not None)


def test_a_puppets_file_is_saved_and_opened_again(page: Page, studio: Studio) -> None:
    two_keys(page)
    page.wait_for_selector("text=Save the puppet as a file >> visible=true")
    with page.expect_download() as download:
        page.click("text=Save the puppet as a file")
    file = studio.project / "puppet.json"
    download.value.save_as(file)
    for name in ("key 1", "key 2"):
        page.click(f"#puppet-keys li[data-key='{name}'] button[aria-label='Delete']")
    keys(page, 0)
    page.set_input_files("#panel-puppet input[type=file]", file)
    keys(page, 2)
    broken = studio.project / "broken.json"
    broken.write_text('{"komadori": "puppet"', "utf-8")
    page.set_input_files("#panel-puppet input[type=file]", broken)
    page.wait_for_selector(".troubles p")
    assert "broken.json" in troubles(page)[0]
    keys(page, 2)


def test_nothing_runs_over_the_panels_edge_in_either_language(page: Page) -> None:
    two_keys(page)
    record(page)
    page.wait_for_selector("#puppet-takes li")
    page.click("#puppet-takes button[aria-label='Add to the sequence']")
    page.wait_for_selector("#puppet-sequence li")
    for _ in range(2):
        wide = page.evaluate(
            "() => { const aside = document.querySelector('aside'); const edge = aside.getBoundingClientRect().right;"
            " return [...aside.querySelectorAll('*')].filter((each) => each.getBoundingClientRect().right > edge).length }"
        )
        assert wide == 0
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 1280
        unnamed = page.evaluate(
            "() => [...document.querySelectorAll('#panel-puppet button, #panel-puppet input:not(.hidden), #panel-puppet select')]"
            ".filter((each) => !each.textContent.trim() && !each.ariaLabel && !each.labels?.length).length"
        )
        assert unnamed == 0
        page.click("header button:has-text('日本語'), header button:has-text('English')")


@pytest.mark.parametrize("what", ["handle", "right_hand"])
def test_a_pose_follows_the_hand_within_a_frame(page: Page, what: str, record_property: Any) -> None:
    """From the pointer's event to the pose on the bones, apart from drawing: 95 percent within one frame at 60 a second.

    Every movement is measured here; the time itself is asserted only if KOMADORI_TIMED is set, on a machine that does
    nothing else (`make bench` writes it to docs/benchmarks/studio.md).
    """
    two_keys(page)
    # Without its context the page does everything but draw.
    page.evaluate(
        "() => document.querySelector('.stage canvas').getContext('webgl2').getExtension('WEBGL_lose_context').loseContext()"
    )
    best = np.inf
    for _ in range(ROUNDS):
        page.evaluate("() => performance.clearMeasures('puppet pose')")
        drag(page, what, 60, 50, steps=60)
        drag(page, what, -60, -50, steps=60)
        waits = np.array(
            page.evaluate("() => performance.getEntriesByName('puppet pose').map((each) => each.duration)")
        )
        assert len(waits) > 30
        best = min(best, float(np.percentile(waits, 95)))
        print(
            f"{what}: {len(waits)} poses, median {np.median(waits):.1f} ms, 95 % {np.percentile(waits, 95):.1f} ms, worst {waits.max():.1f} ms"
        )
    record_property("p95_ms", best)
    if os.environ.get("KOMADORI_TIMED"):
        assert best < FRAME_MS


def test_one_handle_moves_a_second_character(page: Page, studio: Studio) -> None:
    open_puppet(page)
    page.keyboard.press("k")
    keys(page, 1)
    drag(page, "handle", 0, -100)
    drag(page, "right_hand", 40, 120)
    page.keyboard.press("k")
    keys(page, 2)
    page.select_option("#puppet-together-add", "character:mannequin")
    page.wait_for_selector("#puppet-together li[data-character='character:mannequin']")
    other = f"with {character('mannequin').name}"
    page.wait_for_function("(name) => window.probe.has(name)", arg=other)
    hand = character("mannequin").skeleton.roles["right_hand"]
    where = f"() => window.probe.world({json.dumps(other)})[{hand}]"
    page.wait_for_function(f"() => window.probe.world({json.dumps(other)}).length > 0")
    before = page.evaluate(where)
    drag(page, "handle", 0, 60)
    page.wait_for_function(f"(was) => Math.hypot(...({where})().map((value, n) => value - was[n])) > 0.05", arg=before)
    assert troubles(page) == []
    # Side by side, not within each other.
    mine, theirs = (page.evaluate(f"() => window.probe.world({json.dumps(name)})[0]") for name in ("result", other))
    assert abs(mine[0] - theirs[0]) > 0.5
    page.click("#puppet-together li[data-character='character:mannequin'] button")
    page.wait_for_function("(name) => !window.probe.has(name)", arg=other)
    assert saved(page, studio, lambda found: found["together"] == [])["together"] == []
