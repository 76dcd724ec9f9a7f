"""What page and server say to each other, part by part, defined once: `web/src/generated.ts` is written from these classes."""

from __future__ import annotations

from typing import TypeAlias

from komadori.studio.messages.arrays import (
    Arrays,
    FollowArrays,
    HairArrays,
    LiveArrays,
    MapArrays,
    MotionArrays,
    PoseArrays,
    SpringArrays,
)
from komadori.studio.messages.common import (
    AnsweredUpdate,
    ChangesUpdate,
    Edit,
    ErrorMessage,
    ProgressUpdate,
    Redo,
    Said,
    Save,
    SavedUpdate,
    Undo,
    UndoneUpdate,
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
from komadori.studio.messages.methods import (
    Choice,
    MethodItem,
    Methods,
    MethodUpdate,
    ParameterItem,
    PresetItem,
    RowInfo,
)
from komadori.studio.messages.puppet import (
    EditControls,
    EditKey,
    EditKeySet,
    EditPose,
    EditSequence,
    EditTake,
    EditTogether,
    LoadPuppet,
    MemberInfo,
    PuppetAsk,
    PuppetUpdate,
)
from komadori.studio.messages.scene import BodyUpdate, ChainInfo, Change, Grab, Open, SceneUpdate
from komadori.studio.messages.sheet import EditKeyPose, EditSheet, KeyposesUpdate, LimitedUpdate, OptimumUpdate
from komadori.studio.messages.shelf import (
    Dropped,
    EditProject,
    ProjectItem,
    ProjectList,
    Remove,
    Shelf,
    ShelfItem,
    ShelfUpdate,
)
from komadori.studio.messages.shot import EditShot
from komadori.studio.messages.translate import Cast, FeetInfo, Follow, PartnerInfo, TranslateUpdate, TrialInfo

Ask: TypeAlias = (
    (Watch | EditProject | Open | Change | EditSheet | EditKeyPose | EditShot | HairAsk | Cast | Follow)
    | (Export | StopExport | Remove | PuppetAsk)
) | (Undo | Redo | Save)
"""What the page asks."""
Tell: TypeAlias = (
    (SceneUpdate | BodyUpdate | MethodUpdate | LimitedUpdate | KeyposesUpdate | HairUpdate | HairChecked | PuppetUpdate)
    | (OptimumUpdate | TranslateUpdate | ProgressUpdate | ExportUpdate | ExportEnded | ShelfUpdate | SavedUpdate)
    | (ChangesUpdate | UndoneUpdate | AnsweredUpdate | ErrorMessage)
)
"""What the server tells."""

__all__ = [
    "AnsweredUpdate",
    "Arrays",
    "Ask",
    "BodyUpdate",
    "Cast",
    "ChainChecked",
    "ChainInfo",
    "Change",
    "ChangesUpdate",
    "Choice",
    "ClearStrands",
    "DrawStrand",
    "Dropped",
    "Edit",
    "EditControls",
    "EditKey",
    "EditKeyPose",
    "EditKeySet",
    "EditPose",
    "EditProject",
    "EditSequence",
    "EditSheet",
    "EditShot",
    "EditTake",
    "EditTogether",
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
    "LiveArrays",
    "LoadPuppet",
    "MapArrays",
    "MemberInfo",
    "MethodItem",
    "MethodUpdate",
    "Methods",
    "MotionArrays",
    "Open",
    "OptimumUpdate",
    "ParameterItem",
    "PartnerInfo",
    "PickChain",
    "PlaneInfo",
    "PoseArrays",
    "Preset",
    "PresetItem",
    "ProgressUpdate",
    "ProjectItem",
    "ProjectList",
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
    "UndoneUpdate",
    "Watch",
]  # fmt: skip
