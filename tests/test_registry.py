"""One declaration, every face: a method written in one file is a function, a command, a recipe step and a row in the report."""

from __future__ import annotations

import contextlib
import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import komadori
from komadori import methods
from komadori.anime.report import numbers
from komadori.characters import character, sample
from komadori.cli import run as komadori_run
from komadori.errors import KomadoriError, OptionError
from komadori.parameters import check
from komadori.pipeline import Recipe, Step, steps
from komadori.registry import Listed
from komadori.result import Measure, Result

TILT = '''
"""Tilting: every root leans to one side."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from komadori import quat
from komadori.motion import Motion
from komadori.parameters import check, parameter
from komadori.registry import method
from komadori.result import Measure, Result
from komadori.timesheet import Timesheet
from komadori.words import Note


@dataclass(frozen=True, kw_only=True)
class TiltOptions:
    """How far it leans."""

    angle_deg: float = parameter(10.0, "how far the body leans", unit="degrees", low=-90.0, high=90.0)
    backwards: bool = parameter(False, "lean the other way")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, eq=False)
class TiltResult(Result):
    """The leaning motion."""

    source_motion: Motion
    options: TiltOptions
    motion: Motion
    sheet: Timesheet | None = None
    notes: tuple[Note, ...] = ()

    @property
    def measures(self) -> Mapping[str, Measure]:
        return {"lean": Measure(self.options.angle_deg, "degrees")}


@method(TiltOptions, stage="shape", example="komadori tilt sample:walk -o tilted.bvh --angle-deg 20")
def tilt(motion: Motion, options: TiltOptions) -> TiltResult:
    """`motion` with its root turned about Z."""
    angle = math.radians(-options.angle_deg if options.backwards else options.angle_deg)
    turn = np.array([0.0, 0.0, math.sin(angle / 2), math.cos(angle / 2)])
    rotations = np.array(motion.rotations)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    return TiltResult(motion, options, motion.replaced(rotations=rotations))
'''


@pytest.fixture
def tilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A new method: one file, and its line in the tuple. Nothing else is edited."""
    (tmp_path / "tilting.py").write_text(TILT, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(methods, "METHODS", (*methods.METHODS, Listed("tilt", "tilting", "Tilting: the body leans.")))
    monkeypatch.delitem(vars(komadori), "tilt", raising=False)
    yield "tilt"
    vars(komadori).pop("tilt", None)
    sys.modules.pop("tilting", None)


def test_a_new_method_is_a_python_function(tilt: str) -> None:
    walk = sample("walk")
    result = komadori.tilt(walk, angle_deg=20.0)
    assert isinstance(result, Result)
    assert result.measures["lean"] == Measure(20.0, "degrees")
    assert not np.allclose(result.motion.rotations[:, 0], walk.rotations[:, 0])
    assert tilt in dir(komadori)
    assert "how far the body leans [-90 to 90 degrees, default 10.0]" in (inspect.getdoc(komadori.tilt) or "")


def test_a_new_method_is_a_command_with_help(tilt: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert komadori_run(["--help"]) == 0
    assert "Tilting: the body leans." in capsys.readouterr().out
    assert komadori_run(["tilt", "--help"]) == 0
    page = capsys.readouterr().out
    assert "--angle-deg X" in page
    assert "[-90 to 90 degrees, default 10.0]" in " ".join(page.split())
    assert "--backwards / --no-backwards" in page
    target = tmp_path / "out.bvh"
    assert komadori_run(["tilt", "sample:walk", "-o", str(target), "--angle-deg", "20", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["lean"] == 20.0
    assert facts["outputs"] == [str(target)]
    written, wanted = komadori.load(target), komadori.tilt(sample("walk"), angle_deg=20.0).motion
    order = [wanted.skeleton.names.index(name) for name in written.skeleton.names]
    np.testing.assert_allclose(written.world_positions(), wanted.world_positions()[:, order], atol=1e-5)
    assert komadori_run(["tilt", "sample:walk", "-o", str(target), "--angle-deg", "100"]) == 2
    assert "--angle-deg" in capsys.readouterr().err


def test_a_new_method_is_a_recipe_step_and_a_row_in_the_report(tilt: str) -> None:
    assert tilt in steps()
    recipe = Recipe.parse('[[step]]\nuse = "tilt"\nangle_deg = 30\n\n[[step]]\nuse = "limited"\n')
    assert recipe.steps[0] == Step("tilt", angle_deg=30.0)
    assert Recipe.parse(recipe.toml()) == recipe
    made = recipe.run(sample("walk"), character("girl"))
    assert ("lean", "30 degrees") in [(str(label), str(value)) for label, value in numbers(made)]
    with pytest.raises(OptionError, match="angle_deg"):
        Step("tilt", angle_deg=100.0)


# What holds of every method.

EVERY = [line.load() for line in methods.METHODS]
SUBJECTS = {"motion": "motion", "character": "character", "puppet": "puppet"}


@pytest.mark.parametrize("method", EVERY, ids=lambda method: method.name)
def test_a_method_keeps_its_signature_and_says_what_its_parameters_mean(method: methods.Method) -> None:
    signature = inspect.signature(method.call)
    assert signature.return_annotation not in (inspect.Signature.empty, None)
    assert sorted(list(signature.parameters)[1:]) == sorted(item.name for item in method.parameters)
    told = inspect.getdoc(method.call) or ""
    assert all(f"{item.name}: {item.help}" in told for item in method.parameters)
    assert issubclass(method.result, Result)
    assert getattr(komadori, method.name) is method.call


@pytest.mark.parametrize("method", EVERY, ids=lambda method: method.name)
def test_no_field_has_a_default_that_its_type_forbids(method: methods.Method) -> None:
    for item in method.parameters:
        assert item.required or item.default is not None or item.optional, item.name


def test_methods_take_an_options_object_or_its_fields() -> None:
    from komadori.methods.limited import LimitedOptions

    clip = sample("kick")
    one, other = komadori.limited(clip, LimitedOptions(omit=2)), komadori.limited(clip, omit=2)
    np.testing.assert_array_equal(one.sheet.source, other.sheet.source)
    with pytest.raises(TypeError, match=r"limited\(\) got an unexpected keyword argument 'omits'"):
        komadori.limited(clip, omits=2)


def results() -> list[Result]:
    """A result of every method."""
    kick, girl = sample("kick"), character("girl")
    there = komadori.retarget(kick, girl)
    from komadori.methods.puppet import puppet_from

    made = [
        komadori.limited(kick),
        komadori.retime(kick, exposures=(1, 1, 2)),
        komadori.keyposes(kick),
        komadori.exaggerate(kick),
        komadori.puppet(puppet_from(kick, (0, 20, 40)), path=kick),
        komadori.hair(girl, there.motion),
        there,
        komadori.translate(sample("slow-walk"), train=(sample("walk"),), model="static"),
        komadori.quadruped(sample("walk"), character("horse")),
        komadori.clean(kick),
        komadori.prepare(kick),
        komadori.floor(kick),
        komadori.plant(kick),
        komadori.hands(kick),
        komadori.travel(kick, root="extracted"),
    ]
    assert [type(one) for one in made] == [method.result for method in EVERY]
    return made


def test_every_result_has_motion_sheet_notes_and_measures() -> None:
    for result, method in zip(results(), EVERY, strict=True):
        assert isinstance(result.motion, komadori.Motion)
        assert (result.sheet is not None) == method.makes_sheet
        assert isinstance(result.notes, tuple)
        assert all(np.isfinite(one.value) for one in result.measures.values())
        assert json.loads(json.dumps({name: float(one.value) for name, one in result.measures.items()})) is not None
        assert all(isinstance(label, str) and isinstance(value, str) for label, value in method.rows(result))


def test_only_public_names_are_shown() -> None:
    shown = dir(komadori)
    assert not [name for name in shown if name.startswith("_") and name != "__version__"]
    assert {"limited", "Trace", "Key", "Note", "characters", "sample", "LimitedResult", "RetargetResult"} <= set(shown)
    assert all(getattr(komadori, name) is not None for name in shown)
    assert set(shown) - {"__version__"} == set(komadori.__all__)


HUGE = 10**400
ANYTHING: tuple[Any, ...] = (
    0, -1, HUGE, -HUGE, 1e308, float("nan"), float("inf"), 1e-320, "", "a", "9" * 400, "\ud800", b"x", None, True, [], {}, [[]],
    [None], [HUGE], [HUGE, 0, 0], [float("nan")] * 3, [1e308] * 3, ["a", HUGE], [{}], {"position": [HUGE, 0, 0]}, (True,),
)  # fmt: skip


def test_whatever_a_parameter_is_given_ends_in_an_error_of_ours() -> None:
    """From a file, a page or a call: values of any kind, and numbers that no float holds, are taken or refused."""
    for line in methods.METHODS:
        declared = line.load()
        later = {item.name: None for item in declared.parameters if item.required}
        for item in declared.parameters:
            for value in ANYTHING:
                with contextlib.suppress(KomadoriError):
                    check(declared.options(**{**later, item.name: value}))
    for use, declared in steps().items():
        for item in declared.parameters:
            for value in ANYTHING:
                with contextlib.suppress(KomadoriError):
                    text = Recipe([Step(use, **{item.name: value})]).toml()
                    assert Recipe.parse(text).toml() == text
