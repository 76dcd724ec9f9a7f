"""Measures: each definition against clips of which the answer is known beforehand."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import komadori
from komadori import feet
from komadori.characters import sample
from komadori.errors import OptionError
from komadori.measures import DEFINITIONS, measure
from komadori.measures.measuring import contact_accuracy, due
from komadori.motion import Motion
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet

DOCS = Path(__file__).parents[1] / "docs"


def points(places: np.ndarray, fps: float = 100.0) -> Motion:
    """A motion of free points (F, J, 3): each is its own joint."""
    count = places.shape[1]
    skeleton = Skeleton(tuple(f"p{n}" for n in range(count)), np.full(count, -1), np.zeros((count, 3)))
    rotations = np.zeros((*places.shape[:2], 4))
    rotations[..., 3] = 1.0
    return Motion(skeleton, fps, rotations, places)


def test_jitter_is_the_noise_that_was_added() -> None:
    rng = np.random.default_rng(3)
    time = np.arange(4000)[:, None, None] / 120.0
    calm = np.sin(time * np.array([1.0, 2.0, 3.0])) + np.zeros((1, 5, 1))
    assert measure(points(calm, 120.0))["jitter"].value < 0.02
    noisy = points(calm + rng.normal(scale=0.004, size=calm.shape), 120.0)
    assert measure(noisy)["jitter"].value == pytest.approx(4.0, rel=0.05)
    # A leap now and then is no tremble.
    leaps = np.array(noisy.positions)
    leaps[::100] += 1.0
    assert measure(points(leaps, 120.0))["jitter"].value == pytest.approx(4.0, rel=0.15)


def test_jerk_and_speed_of_a_cubic_are_those_of_the_formula() -> None:
    time = np.arange(200) / 50.0
    places = np.zeros((200, 1, 3))
    places[:, 0, 0] = 0.5 * time**3
    made = measure(points(places, 50.0))
    assert made["jerk"].value == pytest.approx(3.0, rel=1e-6)
    assert made["peak_speed"].value == pytest.approx((places[-1, 0, 0] - places[-3, 0, 0]) * 25.0)
    assert made["speed"].value == pytest.approx(places[-1, 0, 0] / (199 / 50.0))


def test_measures_of_time_do_not_depend_on_the_frame_rate() -> None:
    fine = sample("pitch", 240.0)
    one, other = measure(fine), measure(fine.resampled(120.0))
    for name in ("speed", "peak_speed", "symmetry"):
        assert one[name].value == pytest.approx(other[name].value, rel=0.06), name


def test_symmetry_falls_when_one_side_stands_still() -> None:
    walk = sample("walk")
    even = measure(walk)["symmetry"].value
    rotations = np.array(walk.rotations)
    still = [joint for role, joint in walk.skeleton.roles.items() if role.startswith("left_")]
    rotations[:, still] = rotations[0, still]
    lame = measure(walk.replaced(rotations=rotations))["symmetry"].value
    assert even > 0.99
    assert lame < even - 0.2


def test_skating_is_the_one_definition_of_slip_and_grows_with_what_is_added() -> None:
    walk = sample("walk", 60.0)
    assert measure(walk)["skating"].value == pytest.approx(1e3 * feet.slippage(walk, feet.contacts(walk)).per_second)
    slid = np.array(walk.positions)
    slid[:, 0, 0] += 0.1 * np.arange(len(walk)) / 60.0
    gain = measure(walk.replaced(positions=slid))["skating"].value - measure(walk)["skating"].value
    assert 40.0 < gain < 140.0


def test_penetration_is_how_deep_a_foot_was_pushed() -> None:
    walk = sample("walk", 60.0)
    pushed = np.array(walk.positions)
    pushed[100:104, 0, 1] -= 0.03
    before, after = measure(walk), measure(walk.replaced(positions=pushed))
    assert after["penetration_deepest"].value - before["penetration_deepest"].value == pytest.approx(30.0, abs=1.5)
    assert after["penetration"].value > before["penetration"].value


def test_what_is_due_goes_on_through_holds_and_stops_before_the_next_drawing() -> None:
    assert due(np.arange(5), 5).tolist() == [0, 1, 2, 3, 4]
    assert due(np.array([0, 0, 4, 4, 4, 5]), 9).tolist() == [0, 1, 4, 4, 4, 5]
    assert due(np.array([7, 7, 7]), 9).tolist() == [7, 8, 8]


def test_hold_error_is_zero_on_ones_and_grows_with_holds() -> None:
    clip = sample("kick")
    errors = []
    for length in (1, 2, 4):
        sheet = Timesheet(clip.fps, np.arange(len(clip)) // length * length)
        made = measure(clip.retimed(sheet), sheet=sheet, against=clip)
        errors.append(made["hold_error"].value)
        assert made["drawings_per_second"].value == pytest.approx(24.0 / length, rel=0.02)
        assert 0.0 < made["contact_accuracy"].value <= 1.0
    assert errors[0] == 0.0
    assert 0.0 < errors[1] < errors[2]
    # Against the positions themselves, computed another way.
    wanted = np.linalg.norm(clip.world_positions()[np.arange(len(clip)) // 4 * 4] - clip.world_positions(), axis=-1)
    assert errors[2] == pytest.approx(100.0 * wanted.mean())


def test_omission_alone_is_no_hold_error() -> None:
    clip = sample("kick")
    sheet = Timesheet(clip.fps, np.array([*range(20), *range(26, len(clip))]))
    assert measure(clip.retimed(sheet), sheet=sheet, against=clip)["hold_error"].value == 0.0


def test_contact_accuracy_is_the_f1_score() -> None:
    one = np.array([[True], [True], [False], [False]])
    other = np.array([[True], [False], [True], [False]])
    assert contact_accuracy(one, one) == 1.0
    assert contact_accuracy(one, other) == pytest.approx(0.5)
    assert contact_accuracy(~one & one, ~one & one) is None


def test_a_clip_without_legs_has_no_measures_of_feet() -> None:
    made = measure(points(np.zeros((10, 2, 3))))
    assert not {"skating", "penetration", "symmetry", "contact_accuracy", "hold_error"} & set(made.values)
    assert made["jitter"].value == made["jerk"].value == made["speed"].value == 0.0


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
def test_few_frames_are_measured_too(frames: int) -> None:
    assert all(np.isfinite(one.value) for one in measure(sample("walk")[:frames]).values.values())


def test_what_does_not_fit_together_is_refused() -> None:
    clip = sample("kick")
    with pytest.raises(OptionError, match="against: expected a clip with every frame"):
        measure(clip, against=clip[:20])
    with pytest.raises(OptionError, match="sheet: expected as many frames"):
        measure(clip, against=clip, sheet=Timesheet(24.0, np.arange(5)))
    with pytest.raises(OptionError, match="frames"):
        measure(clip[:0])
    lost = np.array(clip.positions)
    lost[4] = np.nan
    with pytest.raises(OptionError, match="komadori clean"):
        measure(clip.replaced(positions=lost))


def test_the_name_is_public() -> None:
    assert komadori.measure is measure


@pytest.mark.parametrize("page", [DOCS / "measure.md", DOCS / "ja" / "measure.md"], ids=["en", "ja"])
def test_every_definition_stands_in_the_docs(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for one in DEFINITIONS:
        row = next((line for line in text.splitlines() if line.startswith(f"| `{one.name}`")), "")
        assert one.formula in row, one.name
        assert re.search(rf"\| {re.escape(one.unit or '-')} \|", row), one.name
