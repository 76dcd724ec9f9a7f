"""komadori: motion capture in, anime out. The public names; each is loaded when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from komadori import shown as _shown

if TYPE_CHECKING:
    from komadori.camera import Camera as Camera
    from komadori.character import Character as Character
    from komadori.errors import FormatError as FormatError
    from komadori.errors import KomadoriError as KomadoriError
    from komadori.errors import OptionError as OptionError
    from komadori.errors import OutputError as OutputError
    from komadori.formats import load as load
    from komadori.formats import load_character as load_character
    from komadori.formats import load_sheet as load_sheet
    from komadori.formats import save as save
    from komadori.formats import save_character as save_character
    from komadori.methods.exaggerate import exaggerate as exaggerate
    from komadori.methods.hair import fit_hair as fit_hair
    from komadori.methods.hair import hair as hair
    from komadori.methods.keyposes import keyposes as keyposes
    from komadori.methods.limited import limited as limited
    from komadori.methods.puppet import Puppet as Puppet
    from komadori.methods.puppet import Take as Take
    from komadori.methods.puppet import load_puppet as load_puppet
    from komadori.methods.retarget import retarget as retarget
    from komadori.methods.retarget import retarget_report as retarget_report
    from komadori.methods.translate import Translator as Translator
    from komadori.methods.translate import Warp as Warp
    from komadori.methods.translate import align as align
    from komadori.methods.translate import load_translator as load_translator
    from komadori.methods.translate import quadruped as quadruped
    from komadori.motion import Motion as Motion
    from komadori.motion import Pose as Pose
    from komadori.pipeline import PipelineResult as PipelineResult
    from komadori.pipeline import Recipe as Recipe
    from komadori.pipeline import Step as Step
    from komadori.pipeline import look as look
    from komadori.skeleton import Skeleton as Skeleton
    from komadori.timesheet import Timesheet as Timesheet

__version__ = "0.1.0"

_HOME = {
    "Camera": "camera",
    "Character": "character",
    "FormatError": "errors",
    "KomadoriError": "errors",
    "Motion": "motion",
    "align": "methods.translate",
    "exaggerate": "methods.exaggerate",
    "fit_hair": "methods.hair",
    "hair": "methods.hair",
    "keyposes": "methods.keyposes",
    "limited": "methods.limited",
    "load": "formats",
    "load_character": "formats",
    "load_puppet": "methods.puppet",
    "load_sheet": "formats",
    "load_translator": "methods.translate",
    "look": "pipeline",
    "quadruped": "methods.translate",
    "retarget": "methods.retarget",
    "retarget_report": "methods.retarget",
    "save": "formats",
    "save_character": "formats",
    "OptionError": "errors",
    "OutputError": "errors",
    "PipelineResult": "pipeline",
    "Pose": "motion",
    "Puppet": "methods.puppet",
    "Recipe": "pipeline",
    "Skeleton": "skeleton",
    "Step": "pipeline",
    "Take": "methods.puppet",
    "Timesheet": "timesheet",
    "Translator": "methods.translate",
    "Warp": "methods.translate",
}
"""Public name -> the room it lives in. `komadori --help` must not wait for NumPy, so nothing is imported here."""

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'komadori' has no attribute {name!r}")
    value = getattr(import_module(f"komadori.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def _drawn(value: object) -> _shown.Bundle:
    """What a notebook shows: the rooms that draw are loaded when it asks for the first time."""
    bundle: _shown.Bundle = import_module("komadori.render.notebook").bundle(value)
    return bundle


_shown.shown_by(_drawn)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
