"""A method that is declared in one file has its panel in the studio, with nothing written for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import komadori
from komadori.characters import character
from test_registry import TILT

from browser import Opener, Studio, troubles, visit
from staging import staged_sample
from wire import ask, heard, live, unpacked

if TYPE_CHECKING:
    from playwright.sync_api import Page

HELD = '''
"""Holding: every pose is shown for so many frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from komadori.motion import Motion
from komadori.parameters import check, parameter
from komadori.registry import method
from komadori.result import Result
from komadori.timesheet import Timesheet
from komadori.words import Note


@dataclass(frozen=True, kw_only=True)
class HoldOptions:
    """How long."""

    frames: int = parameter(3, "frames that a pose is shown", unit="frames", low=1, high=12)
    first: Literal["begin", "end"] = parameter("begin", "which pose of each group is shown")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, eq=False)
class HoldResult(Result):
    """The held motion."""

    motion: Motion
    sheet: Timesheet
    notes: tuple[Note, ...] = ()


@method(HoldOptions, stage="timing", rows=lambda made: [("poses", str(len(made.sheet.drawings)))])
def hold(motion: Motion, options: HoldOptions) -> HoldResult:
    """`motion` on twos, threes or more."""
    shown = np.arange(len(motion)) // options.frames * options.frames
    if options.first == "end":
        shown = np.minimum(shown + options.frames - 1, len(motion) - 1)
    sheet = Timesheet(motion.fps, shown)
    return HoldResult(motion.retimed(sheet), sheet)
'''
PROGRAM = """
import sys
from komadori import methods
from komadori.registry import Listed
methods.METHODS = (
    *methods.METHODS, Listed("tilt", "tilting", "Tilting: the body leans."), Listed("hold", "holding", "Holding: poses stay.")
)
from komadori.cli import main
main()
"""


@pytest.fixture
def studio(tmp_path: Path, studios: Opener) -> Studio:
    """A studio with two more methods: a file each, and its line in the tuple."""
    (tmp_path / "tilting.py").write_text(TILT, encoding="utf-8")
    (tmp_path / "holding.py").write_text(HELD, encoding="utf-8")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    return studios(tmp_path / "project", program=tmp_path / "program.py")


def fetched(studio: Studio, address: object) -> dict[str, np.ndarray]:
    status, _, body = ask(studio, f"/{address}")
    assert status == 200
    return unpacked(body)


def placed(name: str = "pitch") -> komadori.Motion:
    return staged_sample(name)


def test_the_server_lists_what_the_declarations_say(studio: Studio) -> None:
    _, _, body = ask(studio, "/api/methods")
    items = {item["name"]: item for item in json.loads(body)["items"]}
    assert list(items) == ["limited", "keyposes", "exaggerate", "puppet", "hair", "translate", "tilt", "hold"]
    tilt = items["tilt"]
    assert tilt["label"]["en"] == "Tilt"
    assert tilt["summary"]["en"] == "Tilting: the body leans."
    assert (tilt["makes_sheet"], tilt["is_step"], items["hold"]["makes_sheet"]) == (False, True, True)
    angle, backwards = tilt["parameters"]
    assert (angle["name"], angle["kind"], angle["default"], angle["low"], angle["high"]) == (
        "angle_deg", "float", 10.0, -90.0, 90.0,
    )  # fmt: skip
    assert (angle["label"]["en"], angle["unit"]["en"]) == ("angle", "degrees")
    assert angle["help"]["en"] == "how far the body leans"
    assert backwards["kind"] == "bool"
    (_, first) = items["hold"]["parameters"]
    assert [choice["value"] for choice in first["choices"]] == ["begin", "end"]
    limited = items["limited"]
    assert limited["label"] == {"en": "Limited", "ja": "リミテッド"}
    assert "camera" not in [item["name"] for item in limited["parameters"]], "what is read has no slider"


def test_a_declared_method_answers_with_its_rows_and_its_motion(studio: Studio) -> None:
    with live(studio) as line:
        line.send('{"type": "watch", "part": "tilt"}')
        line.send('{"type": "change", "part": "tilt", "options": {"angle_deg": 40}}')
        told = heard(line, "method")
        while told["rows"][0]["value"]["en"] != "40 degrees":
            told = heard(line, "method")
        assert (told["part"], told["source"], told["edited"]) == ("tilt", [], False)
        assert told["rows"][0]["label"]["en"] == "lean"
        turned, before = fetched(studio, told["motion"])["rotations"], placed().rotations
        half = np.radians(20.0)
        assert not np.allclose(turned[:, 0], before[:, 0], atol=0.1)
        np.testing.assert_allclose(turned[:, 1:], before[:, 1:], atol=1e-5)
        assert abs(turned[0, 0] @ before[0, 0]) < np.cos(half) + 1e-3
        line.send('{"type": "change", "part": "tilt", "options": {"angle_deg": 400}}')
        assert "angle_deg" in str(heard(line, "error")["message"])
        line.send('{"type": "change", "part": "nothing", "options": {}}')
        assert "part: expected one of" in str(heard(line, "error")["message"])


def test_exaggeration_has_a_part_with_nothing_written_for_it(studio: Studio) -> None:
    with live(studio) as line:
        line.send('{"type": "watch", "part": "exaggerate"}')
        told = heard(line, "method")
        wanted = komadori.exaggerate(placed()).motion
        np.testing.assert_allclose(fetched(studio, told["motion"])["rotations"], wanted.rotations, atol=1e-5)


def test_the_sheet_of_a_declared_method_is_edited_exported_and_saved(studio: Studio) -> None:
    with live(studio) as line:
        line.send('{"type": "watch", "part": "hold"}')
        told = heard(line, "method")
        count = len(placed())
        assert told["source"] == (np.arange(count) // 3 * 3).tolist()
        line.send('{"type": "sheet", "part": "hold", "edit": "delete", "frame": 0}')
        told = heard(line, "method")
        assert (told["edited"], told["motion"]) == (True, "")
        assert told["source"] == (np.arange(count) // 3 * 3).tolist()[1:]
        line.send('{"type": "sheet", "part": "tilt", "edit": "delete", "frame": 0}')
        assert "tilt has no timesheet" in str(heard(line, "error")["message"])
        line.send('{"type": "export", "what": "hold", "kind": "sheet", "suffix": ".csv"}')
        file = heard(line, "export")
        assert file["name"] == "pitch-hold.csv"
        line.send('{"type": "export", "what": "hold", "kind": "recipe", "suffix": ".toml"}')
        _, _, recipe = ask(studio, f"/{heard(line, 'export')['address']}")
        assert b'use = "hold"' in recipe
        line.send('{"type": "save"}')
        heard(line, "saved")
    saved = json.loads((studio.project / "scene.json").read_text(encoding="utf-8"))
    assert saved["parts"]["hold"]["locks"] == [[0, 3, 0, 2]]


def test_its_tab_its_sliders_and_its_result_are_on_the_page(studio: Studio, empty_page: Page) -> None:
    page = empty_page
    visit(page, studio.address)
    tab = page.get_by_role("tab", name="Tilt")
    assert tab.get_attribute("title") == "Tilting: the body leans."
    tab.click()
    panel = page.locator("#panel-tilt")
    panel.locator(".numbers dd").wait_for()
    assert panel.locator(".numbers").inner_text().split("\n") == ["lean", "10 degrees"]
    slider = panel.get_by_label("angle", exact=True).first
    assert (slider.get_attribute("min"), slider.get_attribute("max")) == ("-90", "90")
    assert panel.locator(".field").first.get_attribute("title") == "how far the body leans (degrees)"
    head = character("girl").skeleton.roles["head"]
    at = "joint => window.probe.joints('result', [joint])[0]"
    page.get_by_role("button", name="Result alone").click()
    before = page.evaluate(at, head)
    slider.focus()
    page.keyboard.press("End")
    page.wait_for_function("() => document.querySelector('#panel-tilt .numbers').textContent.includes('90 degrees')")
    # At ninety degrees the head is beside the hips, not above them.
    page.wait_for_function(f"([joint, y]) => ({at})(joint)[1] > y + 60", arg=[head, before[1]])
    page.keyboard.press("Control+z")
    page.wait_for_function(f"([joint, y]) => Math.abs(({at})(joint)[1] - y) < 3", arg=[head, before[1]])
    page.click("#tab-exaggerate")
    page.locator("#panel-exaggerate .numbers dd").wait_for()
    page.click("#tab-hold")
    page.locator("#panel-hold .numbers dd").wait_for()
    page.wait_for_function("() => /drawing 1 /.test(document.querySelector('.tracks').getAttribute('aria-valuetext'))")
    page.keyboard.press(".")
    page.wait_for_function("() => document.querySelector('.tracks').ariaValueNow === '4'")
    page.click("#export")
    assert page.locator("#export-what option").all_inner_texts() == [
        "Original", "Limited", "Key poses", "Exaggerate", "Puppet", "Hair", "Translate", "Tilt", "Hold",
    ]  # fmt: skip
    assert troubles(page) == []
