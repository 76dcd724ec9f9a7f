"""komadori: motion capture in, anime out. The public names; each is loaded when it is first used."""

from __future__ import annotations

from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING
from typing import Any as _Any

from komadori import shown as _shown

if TYPE_CHECKING:
    from komadori import characters as characters
    from komadori.camera import Camera as Camera
    from komadori.character import Character as Character
    from komadori.characters import sample as sample
    from komadori.cut import Cue as Cue
    from komadori.cut import Cut as Cut
    from komadori.errors import FormatError as FormatError
    from komadori.errors import KomadoriError as KomadoriError
    from komadori.errors import OptionError as OptionError
    from komadori.errors import OutputError as OutputError
    from komadori.formats import load as load
    from komadori.formats import load_character as load_character
    from komadori.formats import load_sheet as load_sheet
    from komadori.formats import save as save
    from komadori.keyed import Keyed as Keyed
    from komadori.library.batching import BatchResult as BatchResult
    from komadori.library.batching import batch as batch
    from komadori.measures import Measured as Measured
    from komadori.measures import measure as measure
    from komadori.methods.clean import CleanResult as CleanResult
    from komadori.methods.clean import clean as clean
    from komadori.methods.exaggerate import ExaggerateResult as ExaggerateResult
    from komadori.methods.exaggerate import exaggerate as exaggerate
    from komadori.methods.floor import FloorResult as FloorResult
    from komadori.methods.floor import floor as floor
    from komadori.methods.hair import HairFit as HairFit
    from komadori.methods.hair import HairResult as HairResult
    from komadori.methods.hair import Trace as Trace
    from komadori.methods.hair import fit_hair as fit_hair
    from komadori.methods.hair import hair as hair
    from komadori.methods.hands import HandsResult as HandsResult
    from komadori.methods.hands import hands as hands
    from komadori.methods.keyposes import KeyposesResult as KeyposesResult
    from komadori.methods.keyposes import keyposes as keyposes
    from komadori.methods.limited import LimitedResult as LimitedResult
    from komadori.methods.limited import limited as limited
    from komadori.methods.plant import PlantResult as PlantResult
    from komadori.methods.plant import plant as plant
    from komadori.methods.prepare import PrepareResult as PrepareResult
    from komadori.methods.prepare import prepare as prepare
    from komadori.methods.puppet import Key as Key
    from komadori.methods.puppet import Puppet as Puppet
    from komadori.methods.puppet import PuppetResult as PuppetResult
    from komadori.methods.puppet import Take as Take
    from komadori.methods.puppet import puppet as puppet
    from komadori.methods.retarget import RetargetResult as RetargetResult
    from komadori.methods.retarget import retarget as retarget
    from komadori.methods.retime import RetimeResult as RetimeResult
    from komadori.methods.retime import retime as retime
    from komadori.methods.translate import QuadrupedResult as QuadrupedResult
    from komadori.methods.translate import QuadrupedStream as QuadrupedStream
    from komadori.methods.translate import TranslateResult as TranslateResult
    from komadori.methods.translate import Translator as Translator
    from komadori.methods.translate import Warp as Warp
    from komadori.methods.translate import align as align
    from komadori.methods.translate import quadruped as quadruped
    from komadori.methods.translate import translate as translate
    from komadori.methods.travel import TravelResult as TravelResult
    from komadori.methods.travel import travel as travel
    from komadori.motion import Motion as Motion
    from komadori.motion import Pose as Pose
    from komadori.pipeline import PipelineResult as PipelineResult
    from komadori.pipeline import Recipe as Recipe
    from komadori.pipeline import Step as Step
    from komadori.pipeline import look as look
    from komadori.result import Measure as Measure
    from komadori.result import Result as Result
    from komadori.skeleton import Skeleton as Skeleton
    from komadori.timesheet import Timesheet as Timesheet
    from komadori.words import Note as Note

__version__ = "0.2.0"

_HOME = {
    "BatchResult": "library.batching",
    "Camera": "camera",
    "Character": "character",
    "CleanResult": "methods.clean",
    "Cue": "cut",
    "Cut": "cut",
    "ExaggerateResult": "methods.exaggerate",
    "FormatError": "errors",
    "HairFit": "methods.hair",
    "HairResult": "methods.hair",
    "HandsResult": "methods.hands",
    "Key": "methods.puppet",
    "Keyed": "keyed",
    "KeyposesResult": "methods.keyposes",
    "KomadoriError": "errors",
    "LimitedResult": "methods.limited",
    "Measure": "result",
    "Measured": "measures",
    "Motion": "motion",
    "Note": "words",
    "OptionError": "errors",
    "OutputError": "errors",
    "PipelineResult": "pipeline",
    "FloorResult": "methods.floor",
    "PlantResult": "methods.plant",
    "Pose": "motion",
    "PrepareResult": "methods.prepare",
    "Puppet": "methods.puppet",
    "PuppetResult": "methods.puppet",
    "QuadrupedResult": "methods.translate",
    "QuadrupedStream": "methods.translate",
    "Recipe": "pipeline",
    "Result": "result",
    "RetargetResult": "methods.retarget",
    "RetimeResult": "methods.retime",
    "Skeleton": "skeleton",
    "Step": "pipeline",
    "Take": "methods.puppet",
    "Timesheet": "timesheet",
    "Trace": "methods.hair",
    "TranslateResult": "methods.translate",
    "Translator": "methods.translate",
    "TravelResult": "methods.travel",
    "Warp": "methods.translate",
    "align": "methods.translate",
    "batch": "library.batching",
    "fit_hair": "methods.hair",
    "load": "formats",
    "load_character": "formats",
    "load_sheet": "formats",
    "look": "pipeline",
    "measure": "measures",
    "sample": "characters",
    "save": "formats",
}
"""Public name -> the module that defines it. `komadori --help` must not wait for NumPy, so nothing is imported here; the methods are listed in
their own tuple, `komadori.methods.METHODS`."""


def __getattr__(name: str) -> _Any:
    if name == "__all__":
        return sorted({"characters", *_HOME, *_methods()})
    # A submodule (`from komadori import quat`) is not in the table: Python imports it itself.
    if name not in _HOME and (name.startswith("_") or _find_spec(f"komadori.{name}") is not None):
        if name == "characters":
            return _import_module("komadori.characters")
        raise AttributeError(f"module 'komadori' has no attribute {name!r}")
    home = f"komadori.{_HOME[name]}" if name in _HOME else _methods().get(name)
    if home is None:
        raise AttributeError(f"module 'komadori' has no attribute {name!r}")
    value = getattr(_import_module(home), name)
    globals()[name] = value
    return value


def _methods() -> dict[str, str]:
    """The methods by name, and the modules that declare them."""
    return {line.name: line.home for line in _import_module("komadori.methods").METHODS}


def _drawn(value: object) -> _shown.Bundle:
    """The notebook representation; the modules that draw are loaded on first use."""
    bundle: _shown.Bundle = _import_module("komadori.render.notebook").bundle(value)
    return bundle


_shown.shown_by(_drawn)


def __dir__() -> list[str]:
    return [*__getattr__("__all__"), "__version__"]
