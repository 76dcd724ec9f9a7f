"""The examples of the paper on spatial keyframing, built in the studio's page by a program with a mouse and three keys."""

from __future__ import annotations

import math
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.studio import studio_page

TASKS = {
    "juggling": (("right_hand", 40, -60), ("left_hand", 30, -60), ("head", 6, 6)),
    "kick": (("right_foot", -70, -20), ("right_foot", 110, -70), ("right_hand", 40, 30)),
    "dance": (("hips", 25, 20), ("left_hand", 30, -110), ("right_hand", -30, -110)),
    "hips": (("hips", -30, 6), ("hips", 55, 10), ("hips", -20, 25)),
}
"""Example -> what is dragged for each key, and how many pixels."""
PLACES = ((0, 0), (70, -80), (-90, 60))
"""Where the handle goes before each key, in pixels from where it was."""


@dataclass(frozen=True)
class Built:
    """What a task took."""

    actions: int
    seconds: float
    keys: int
    plays: bool
    handle: tuple[float, float, float]
    """How far the handle came by a drag of itself, up the screen, in metres."""
    shadow: tuple[float, float, float]
    """And by a drag of its shadow."""


def built() -> dict[str, Built]:
    """Every task in its own studio: keys are set one by one, and a way of the handle is recorded."""
    found = {}
    for name, poses in TASKS.items():
        with tempfile.TemporaryDirectory() as folder, studio_page(Path(folder)) as studio:
            found[name] = _task(studio.page, poses)
    return found


def _task(page: Any, poses: tuple[tuple[str, int, int], ...]) -> Built:
    begin, actions = time.perf_counter(), 1
    page.click("#tab-puppet")
    page.wait_for_function("() => window.probe.spots().right_hand && window.probe.spots().handle")
    for number, ((joint, dx, dy), place) in enumerate(zip(poses, PLACES, strict=True)):
        if any(place):
            _drag(page, "handle", *place)
            actions += 1
        _drag(page, joint, dx, dy)
        page.keyboard.press("k")
        page.wait_for_function(f"() => document.querySelectorAll('#puppet-keys li').length === {number + 1}")
        actions += 2
    page.keyboard.press("r")
    x, y = _spot(page, "handle")
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(40):
        page.mouse.move(x + 80 * math.sin(step / 6), y - 60 * math.sin(step / 4))
    page.mouse.up()
    page.wait_for_selector("#puppet-takes li.shown")
    page.wait_for_selector(".transport button[aria-label='Pause']")
    actions += 2
    keys = page.locator("#puppet-keys li").count()
    seconds = time.perf_counter() - begin
    page.click(".transport button[aria-label='Pause']")
    handle, shadow = (_carried(page, name, *way) for name, way in (("handle", (0, -60)), ("handle shadow", (50, 8))))
    return Built(actions, seconds, keys, True, handle, shadow)


def _place(page: Any) -> list[float]:
    """Where the page says that the handle is."""
    return [float(page.input_value(f"#puppet-handle-{axis}")) for axis in "xyz"]


def _carried(page: Any, name: str, dx: float, dy: float) -> tuple[float, float, float]:
    """How far the handle comes when a thing is dragged."""
    before = _place(page)
    _drag(page, name, dx, dy)
    page.wait_for_timeout(200)
    x, y, z = (after - there for after, there in zip(_place(page), before, strict=True))
    return x, y, z


def _spot(page: Any, name: str) -> tuple[float, float]:
    """Where a thing is once the stage has drawn what was asked of it last."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    x, y = page.evaluate("() => window.probe.spots()")[name]
    return x, y


def _drag(page: Any, name: str, dx: float, dy: float) -> None:
    x, y = _spot(page, name)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y + dy, steps=8)
    page.mouse.up()
