"""What page and server say to each other, part by part, defined once: `web/src/generated.ts` is written from these classes."""

from __future__ import annotations

from typing import TypeAlias

from komadori.studio.messages.arrays import (
    Arrays,
    FollowArrays,
    HairArrays,
    MapArrays,
    MotionArrays,
    PoseArrays,
    SpringArrays,
)
from komadori.studio.messages.common import (
    ErrorMessage,
    ProgressUpdate,
    Redo,
    Said,
    Save,
    SavedUpdate,
    Undo,
    Watch,
)
from komadori.studio.messages.export import (
    Export,
    ExportEnded,
    ExportKind,
    ExportUpdate,
    FormatItem,
    Formats,
    StopExport,
)
from komadori.studio.messages.hair import (
    ChainChecked,
    ClearStrands,
    DrawStrand,
    FitHair,
    HairAsk,
    HairChecked,
    HairUpdate,
    PickChain,
    PlaneInfo,
    Preset,
    SetWind,
    StrandInfo,
    TakeTrace,
)
from komadori.studio.messages.hand import HandInput, HandKind
from komadori.studio.messages.methods import Choice, MethodItem, Methods, MethodUpdate, ParameterItem, RowInfo
from komadori.studio.messages.puppet import (
    EditKey,
    EditPose,
    EditSequence,
    EditTake,
    Grab,
    LoadPuppet,
    PuppetAsk,
    PuppetUpdate,
)
from komadori.studio.messages.scene import BodyUpdate, ChainInfo, Change, Open, SceneUpdate
from komadori.studio.messages.sheet import EditSheet, KeyposesUpdate, LimitedUpdate, OptimumUpdate
from komadori.studio.messages.shelf import Dropped, Remove, Shelf, ShelfItem, ShelfUpdate
from komadori.studio.messages.translate import Cast, FeetInfo, Follow, PartnerInfo, TranslateUpdate, TrialInfo

Ask: TypeAlias = (
    Watch | Open | Change | EditSheet | HairAsk | Cast | Follow | Export | StopExport | Remove | PuppetAsk
) | (Undo | Redo | Save)
"""What the page asks."""
Tell: TypeAlias = (
    (SceneUpdate | BodyUpdate | MethodUpdate | LimitedUpdate | KeyposesUpdate | HairUpdate | HairChecked | PuppetUpdate)
    | (OptimumUpdate | TranslateUpdate | ProgressUpdate | ExportUpdate | ExportEnded | ShelfUpdate | SavedUpdate)
    | ErrorMessage
)
"""What the server tells."""

__all__ = [
    "Arrays",
    "Ask",
    "BodyUpdate",
    "Cast",
    "ChainChecked",
    "ChainInfo",
    "Change",
    "Choice",
    "ClearStrands",
    "DrawStrand",
    "Dropped",
    "EditKey",
    "EditPose",
    "EditSequence",
    "EditSheet",
    "EditTake",
    "ErrorMessage",
    "Export",
    "ExportEnded",
    "ExportKind",
    "ExportUpdate",
    "FeetInfo",
    "FitHair",
    "Follow",
    "FollowArrays",
    "FormatItem",
    "Formats",
    "Grab",
    "HairArrays",
    "HairAsk",
    "HairChecked",
    "HairUpdate",
    "HandInput",
    "HandKind",
    "KeyposesUpdate",
    "LimitedUpdate",
    "LoadPuppet",
    "MapArrays",
    "MethodItem",
    "MethodUpdate",
    "Methods",
    "MotionArrays",
    "Open",
    "OptimumUpdate",
    "ParameterItem",
    "Part",
    "PartnerInfo",
    "PickChain",
    "PlaneInfo",
    "PoseArrays",
    "Preset",
    "ProgressUpdate",
    "PuppetAsk",
    "PuppetUpdate",
    "Redo",
    "Remove",
    "RowInfo",
    "Said",
    "Save",
    "SavedUpdate",
    "SceneUpdate",
    "SetWind",
    "Shelf",
    "ShelfItem",
    "ShelfUpdate",
    "SpringArrays",
    "StopExport",
    "StrandInfo",
    "TakeTrace",
    "Tell",
    "TranslateUpdate",
    "TrialInfo",
    "Undo",
    "Watch",
]  # fmt: skip
