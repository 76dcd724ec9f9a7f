"""One clip measured: the whole way of `komadori anime`, and how far off each part of the result is.

`python -m bench.clips_measures CLIP` prints one line of JSON, so that a clip which hangs or crashes costs no other.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import komadori
from bench import clips_hair, clips_made
from bench.timing import LOST, LOST_MOST, losses
from komadori import Character, KomadoriError, Motion, Skeleton, roles
from komadori.anime.files import ExportOptions, files_of
from komadori.characters import character as built_in
from komadori.characters import sample
from komadori.cli.render import drawn_on
from komadori.errors import OptionError
from komadori.formats import SAMPLE, load_character, suffixes
from komadori.formats.units import METRES
from komadori.methods.retarget import RetargetResult
from komadori.pipeline import LOOKS, PipelineResult, look
from komadori.quat import Array
from komadori.render.shot import Shot, shot_of
from komadori.skinning import skin_of

SIZE = (480, 480)
CAMERA = "three-quarter"
"""As films of `anime` are, if nothing else is asked for."""
DANCE = "kick"
"""The sample that a character takes whose file has no motion."""
TALL = 1.2
"""How tall a person is in lengths of legs, trunk and neck."""
BODY_JOINTS = 15
"""A skeleton with fewer joints may be anything; one with more should be a body."""
NO_BODY = ("odd_fbx/*", "character_gltf/RecursiveSkeletons.glb", "character_vrm/springbone/*")
"""Files made to try readers: what is in them has no size, no feet and no floor."""
OF_BODIES = ("roles", "height", "upright", "floor", "hair_floor", "size")
"""Columns that mean nothing without a body."""
SHORTEST = 24
"""Frames: what a shorter clip costs is paid once, whatever its length."""
POINTS = 3000
"""Vertices of a skin that are looked at, at most; those that hang are all looked at."""
TOGETHER = 32


@dataclass(frozen=True)
class Measured:
    """What was found of one clip: `values` by column (None if there is nothing to measure), `told` for people."""

    clip: str
    plan: str = ""
    on: str = ""
    frames: int = 0
    cut: bool = False
    values: dict[str, float | None] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)
    peaks: dict[str, list[int]] = field(default_factory=dict)
    """Look -> limb peaks, those that lose too much, and those that lose far too much."""
    error: str = ""
    refused: bool = False
    """Whether the error is a line for the user, and no crash."""


def measured(clip: str, folder: Path, seconds: float | None = None, films: Path | None = None) -> Measured:
    """`clip` (a path in `folder`, sample:NAME or made:NAME) by every column; a file that is refused is a row too."""
    with tempfile.TemporaryDirectory() as spare:
        try:
            return _measured(clip, folder, Path(spare), seconds, films)
        except KomadoriError as error:
            return Measured(clip, error=str(error).replace(f"{folder}/", "").replace(f"{spare}/", ""), refused=True)


def _measured(clip: str, folder: Path, spare: Path, seconds: float | None, films: Path | None) -> Measured:
    truth = None
    given = str(folder / clip)
    if clip.startswith(clips_made.PREFIX):
        path, truth = clips_made.written(clip.removeprefix(clips_made.PREFIX), spare)
        given = str(path)
    elif clip.startswith(SAMPLE):
        given = clip
    began = time.process_time()
    motion, character, on = _read(given)
    read_s = time.process_time() - began
    whole = motion
    # A character's file without a motion is about the character.
    skeleton = character.skeleton if character is not None else motion.skeleton
    plan = roles.body_plan(skeleton, motion.pose(0) if len(motion) and skeleton is motion.skeleton else None)
    if seconds is not None and motion.duration_s > seconds:
        motion = motion[: max(2, round(seconds * motion.fps))]
    if character is None and plan == "biped":
        character, on = built_in("girl"), "girl"

    began = time.process_time()
    made = look(LOOKS[0]).run(motion, character)
    if films is not None:
        _write(made, clip, films)
    work_s = read_s + time.process_time() - began

    values: dict[str, float | None] = {}
    told = {"unit": _unit(motion), "up": _up(motion)}
    if truth is None:
        right = [role in skeleton.roles for role in roles.MAIN]
    else:
        # Here it is known who plays which role; elsewhere, that somebody does.
        right = list(clips_made.roles_right(motion.skeleton, truth.skeleton).values())
    values["roles"], told["roles"] = sum(right) / len(right), f"{sum(right)} of {len(right)}"
    values["height"] = _height(skeleton) if plan != "unknown" else None
    values["upright"] = _upright(made.original, plan)
    made_up = clip.removeprefix(clips_made.PREFIX)
    told_by = made.captured if made_up in clips_made.FAULTS else whole
    truth = None if made_up in clips_made.BRIDGED else truth
    values["truth"] = None if truth is None else 100.0 * clips_made.apart_m(told_by, truth)
    moved = next((step.result for step in made.steps if isinstance(step.result, RetargetResult)), None)
    values["trunk"] = moved.trunk_deg[0] if moved else None
    values["head"] = moved.head_deg[0] if moved else None
    values["limbs"] = moved.mean_deg if moved else None
    values["slip"], told["slip"] = _slip(made)
    shot = shot_of(made.motion, character, camera=CAMERA, size=SIZE, ground=made.floor_m)
    floor, told["floor"] = _floor(shot)
    values |= floor
    values["face"], told["face"] = _face(made)
    values["size"] = _share(shot)
    values["time"] = 1e3 * work_s / len(made.motion) if len(made.motion) >= SHORTEST else None
    peaks = {}
    for name in LOOKS:
        lost = np.array(losses(made if name == LOOKS[0] else look(name).run(motion, character)))
        values[name] = float(lost.max()) if len(lost) else None
        peaks[name] = [len(lost), int((lost > LOST).sum()), int((lost > LOST_MOST).sum())]
        told[name] = f"{peaks[name][1]} of {peaks[name][0]}, {lost.max(initial=0.0):.2f}"
    is_body = _is_body(clip, skeleton, plan)
    values |= {} if is_body else dict.fromkeys(OF_BODIES)
    return Measured(
        clip, plan if is_body else "no body", on, len(made.motion), len(motion) < len(whole), values, told, peaks
    )


def _read(given: str) -> tuple[Motion, Character | None, str]:
    """The motion that `given` names, the body in its own file, and what it is put onto in a word."""
    suffix = Path(given).suffix.lower()
    if not given.startswith(SAMPLE) and suffix in suffixes("read_character"):
        body = load_character(given)
        if not any(len(own) > 1 and own.moves for own in body.motions.values()):
            return sample(DANCE), body, f"its own, sample:{DANCE}"
    motion = komadori.load(given, kind="motion")
    own = drawn_on(given, None, motion)
    return motion, own, "its bones" if own is None else "its own"


def _write(made: PipelineResult, clip: str, films: Path) -> None:
    """Every file of the animation, in a folder of the clip's name."""
    options = ExportOptions(Path(clip.replace(":", "-")).name, camera=CAMERA, size=SIZE)
    target = films / clip.replace(":", "-").replace("/", "-")
    target.mkdir(parents=True, exist_ok=True)
    for name, data in files_of(made, options, lambda _: None).files.items():
        (target / name).write_bytes(data)


def _unit(motion: Motion) -> str:
    scale = getattr(motion.origin.document, "scale", None) if motion.origin else None
    known = {round(metres, 9): name for name, metres in METRES.items()}
    return "" if scale is None else known.get(round(float(scale), 9), f"{scale:.4g} m")


def _up(motion: Motion) -> str:
    document = motion.origin.document if motion.origin else None
    return getattr(document, "up", "") + (", left-handed" if getattr(document, "mirrored", False) else "")


def _is_body(clip: str, skeleton: Skeleton, plan: str) -> bool:
    """Whether a body should be recognised: not in a few bones, in markers without bones, or in what tries readers."""
    if any(fnmatch(clip, pattern) for pattern in NO_BODY):
        return False
    bones = len(skeleton) - int(np.sum(skeleton.end_sites))
    return plan != "unknown" or (bones >= BODY_JOINTS and bool((skeleton.parents > 0).any()))


def _height(skeleton: Skeleton) -> float | None:
    """Metres along the bones: a leg, and the trunk up to the head."""
    found, total = skeleton.roles, 0.0
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    for low, high in (("left_foot", "left_upper_leg"), ("head", "hips")):
        if not {low, high} <= found.keys():
            return None
        joint = found[low]
        while joint not in (-1, found[high]):
            total += float(lengths[joint])
            joint = int(skeleton.parents[joint])
    return TALL * total


def _upright(motion: Motion, plan: str) -> float | None:
    """The cosine between up and the way from the feet to the trunk, in the frame in which it is largest."""
    found = motion.skeleton.roles
    low = [f"{side}_foot" for side in ("left", "right")]
    low += [f"{side}_hand" for side in ("left", "right")] if plan == "quadruped" else []
    top = ["hips", "neck" if "neck" in found else "head"]
    if plan == "unknown" or not {*low, *top} <= found.keys():
        return None
    world = motion.world_positions()
    rise = world[:, [found[role] for role in top]].mean(axis=1) - world[:, [found[role] for role in low]].mean(axis=1)
    return float((rise[:, 1] / np.maximum(np.linalg.norm(rise, axis=1), 1e-9)).max())


def _slip(made: PipelineResult) -> tuple[float | None, str]:
    """Millimetres that standing feet move in a frame, and those of the capture for comparison."""
    try:
        after, before = made.slip_after, made.slip_before
    except OptionError:
        # A body without legs.
        return None, ""
    if not after.steps:
        return None, ""
    return 1e3 * after.per_frame, f"{1e3 * after.per_frame:.2f} ({1e3 * before.per_frame:.2f})"


def _floor(shot: Shot) -> tuple[dict[str, float | None], str]:
    """How far the body is off the floor of the picture, and how deep whatever is below it is below, in centimetres.

    A body is off the floor by the depth of its lowest place; or by its height, where it never comes down. In words also by how
    much in a twentieth of the frames.
    """
    used = np.unique(shot.painter.triangles)
    hangs = _hanging(shot.skin.character)
    result: dict[str, float | None] = {}
    said = ""
    for name, some in (("floor", used[~hangs[used]]), ("hair_floor", used[hangs[used]])):
        result[name] = None
        if len(some):
            some = some[:: max(1, len(some) // POINTS)]
            lowest = np.concatenate([shot.skin.places_of(part, some)[..., 1].min(axis=1) for part in _parts(shot.motion)])  # fmt: skip
            depth, usual = 100.0 * (shot.ground - np.percentile(lowest, [0.0, 5.0]))
            result[name] = abs(float(depth)) if name == "floor" else max(0.0, float(depth))
            said = said or f"{abs(depth):.1f} ({max(usual, 0.0):.1f}) cm"
    return result, said


def _parts(motion: Motion) -> list[Motion]:
    return [motion[n : n + TOGETHER] for n in range(0, len(motion), TOGETHER)]


def _hanging(character: Character) -> NDArray[np.bool_]:
    """(V,) whether a vertex goes with hair, a ribbon or cloth."""
    moved = np.zeros(len(character.skeleton), dtype=bool)
    for chain in character.chains():
        moved[list(chain.joints)] = True
    return np.concatenate(
        [(mesh.weights * moved[mesh.joints]).sum(axis=1) > 0.5 for mesh in character.meshes] or [np.zeros(0, bool)]
    )


def _face(made: PipelineResult) -> tuple[float | None, str]:
    """The share of frames, in percent, in which hair is blown before the face; in words also with what the head's own movement throws there."""
    character = made.character
    if character is None or "head" not in character.skeleton.roles or not _head_skin(character):
        return None, ""
    if not any(chain.kind in ("hair", "ribbon") for chain in character.chains()):
        return None, ""
    blown, every = clips_hair.before_face(character, *made.motion.world_transforms(), made.motion.fps)
    return 100.0 * blown, f"{100.0 * blown:.1f} ({100.0 * every:.1f}) %"


def _head_skin(character: Character) -> bool:
    head = character.skeleton.roles["head"]
    return any(((mesh.joints == head) * mesh.weights).sum(axis=1).max(initial=0.0) > 0.5 for mesh in character.meshes)


def _share(shot: Shot) -> float:
    """The least share of the picture's height, in percent, that the body as it stands at rest would take where it is."""
    motion, skin = shot.motion, skin_of(shot.skin.character)
    rest = np.asarray(skin.posed(shot.skin.character.rest)[0][0])[np.unique(shot.painter.triangles)]
    extent = np.ptp(rest[~_hanging(shot.skin.character)[np.unique(shot.painter.triangles)]], axis=0)
    # An animal is longer than it is tall, and a body may lie at rest: its longest side counts, a little less.
    extent = np.maximum(extent, np.ptp(shot.skin.character.rest.world_positions()[0], axis=0))
    tall = max(float(extent[1]), 0.7 * float(extent.max()))
    middle = motion.world_positions()[:, motion.skeleton.roles.get("hips", 0)]
    shares = []
    for frame in range(len(motion)):
        seen = shot.camera.at(frame)
        away: Array = (seen.position - middle[frame]) @ seen.axes[2]
        shares.append(tall / (2.0 * np.tan(np.radians(seen.fov_deg) / 2.0) * max(float(away), 1e-6)))
    return 100.0 * float(min(shares))


def main(given: list[str]) -> int:
    """Measure one clip and print it as one line of JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.clips_measures")
    parser.add_argument("clip")
    parser.add_argument("--folder", type=Path, default=Path())
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--films", type=Path)
    parser.add_argument("--memory", type=float, help="GB that may be taken")
    options = parser.parse_args(given)
    if options.memory and sys.platform != "win32":
        import resource

        most = int(options.memory * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    row = measured(options.clip, options.folder, options.seconds, options.films)
    print(json.dumps(vars(row)))
    return 0


def from_json(line: str) -> Measured:
    """What `main` printed."""
    held: dict[str, Any] = json.loads(line)
    return Measured(**held)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
