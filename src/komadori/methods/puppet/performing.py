"""`puppet`: a puppet performed, as one call: by a path, a script, another clip's joint, or walking by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from komadori.errors import OptionError
from komadori.methods.puppet.keys import joint_of
from komadori.methods.puppet.physics import spring
from komadori.methods.puppet.rig import Puppet
from komadori.methods.puppet.script import Script
from komadori.methods.puppet.take import Take, following
from komadori.methods.puppet.walking import walking
from komadori.motion import Motion
from komadori.parameters import check, parameter
from komadori.registry import Row, method
from komadori.result import Measure, Result
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet
from komadori.words import Note

MOST_SECONDS = 1_800.0
WALK_SECONDS = 4.0


@dataclass(frozen=True, kw_only=True, eq=False)
class PuppetOptions:
    """How a puppet is performed."""

    path: Take | Script | Motion | None = parameter(
        None, "path of the handle: .csv of x,y,z or t,x,y,z, a script, or a motion", reads="take"
    )
    joint: str = parameter("right_hand", "joint or role of that motion to follow")
    spring: float | None = parameter(
        None,
        "attach the handle to the path by a spring of this frequency",
        unit="Hz",
        low=0.01,
        high=1000.0,
    )
    walk: float | None = parameter(
        None,
        "walk at this speed instead of following a path, in metres per second; negative is backwards",
        unit="m/s",
        low=-100.0,
        high=100.0,
    )
    seconds: float | None = parameter(None, "length of the result", unit="s", low=0.001, high=MOST_SECONDS)
    onto: Motion | Skeleton | None = parameter(
        None, "first retarget the puppet to the body in this motion file", reads="motion"
    )
    fps: float = parameter(24.0, "frame rate of the result", unit="fps", low=1.0, high=1000.0, faces=False)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, eq=False)
class PuppetResult(Result):
    """What the puppet did, and what moved its handle."""

    puppet: Puppet
    options: PuppetOptions
    motion: Motion
    take: Take | None = None
    """What the handle did; None if the puppet walked by itself."""
    notes: tuple[Note, ...] = ()
    sheet: Timesheet | None = None

    @property
    def measures(self) -> Mapping[str, Measure]:
        """How many keys there are, and how far the handle went."""
        found = {"keys": Measure(len(self.puppet.keys))}
        return found if self.take is None else {**found, "path": Measure(self.take.length, "m")}


def _rows(result: PuppetResult) -> list[Row]:
    return [(Note("keys"), str(len(result.puppet.keys)))]


def _facts(result: PuppetResult) -> dict[str, Any]:
    return {**keys_told(result.puppet), "frames": len(result.motion), "fps": result.motion.fps}


def keys_told(puppet: Puppet) -> dict[str, Any]:
    """A puppet, for programs."""
    return {
        "keys": [{"name": key.name, "position": key.position} for key in puppet.keys],
        "joints": len(puppet.skeleton),
        "kernel": puppet.kernel,
    }


@method(
    PuppetOptions,
    subject="puppet",
    rows=_rows,
    facts=_facts,
    fps=None,
    panel=False,
    title="{path}: performed",
    working="performing {path}",
    about="A puppet is a JSON file of keys. Make one from frames of a clip with `komadori puppet new`, and play it with a path of "
    "the handle: a table, a small script, or a joint of another clip. `komadori puppet demo` makes a walk from four poses.",
    example="komadori puppet pitch.json --path throw.txt -o throw.bvh",
)
def puppet(puppet: Puppet, options: PuppetOptions) -> PuppetResult:
    """`puppet` performed: its handle goes along `path`, or the puppet walks at a speed (`walk`)."""
    if (options.path is None) == (options.walk is None):
        raise OptionError(
            "path",
            expected=Note("either path, which moves the handle, or walk, a speed"),
            found=Note("both") if options.path is not None else Note("neither"),
        )
    if options.onto is not None:
        puppet = puppet.moved_to(options.onto if isinstance(options.onto, Skeleton) else options.onto.skeleton)
    if options.walk is not None:
        seconds = WALK_SECONDS if options.seconds is None else options.seconds
        made = walking(puppet, options.walk, seconds, options.fps)
        return PuppetResult(puppet, options, made, notes=made.notes)
    take = _take(puppet, options)
    if options.spring is not None:
        take = spring(take, options.fps, frequency=options.spring)
    made = puppet.perform(take, options.fps)
    return PuppetResult(puppet, options, made, take, made.notes)


def _take(puppet: Puppet, options: PuppetOptions) -> Take:
    path = options.path
    if isinstance(path, Script):
        return path.take(options.seconds, options.fps)
    if isinstance(path, Motion):
        if not len(path):
            raise OptionError("path", problem=Note("the motion has no frames"))
        path = following(path, joint_of(path.skeleton, options.joint), relative_to_root=puppet.ground is not None)
    assert isinstance(path, Take)
    return path if options.seconds is None else path.lasting(options.seconds)
