"""How clips come out in pictures: how large the body is, and whether heads and hands stay within the edges."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import komadori
from bench.clips import real_data
from komadori import Character, Motion, characters
from komadori.errors import FormatError, OptionError
from komadori.pipeline import Recipe
from komadori.render.framing import stature
from komadori.render.raster import view_of
from komadori.render.shot import shot_of

SIZE = (480, 480)
MOST_FRAMES = 600
"""Frames of a clip that are looked at, evenly chosen."""
POINTS = 1500
LEAST_SHARE = 0.45
"""The limit: the standing body is never smaller than this share of the picture's height."""


@dataclass(frozen=True)
class Framing:
    """One clip in its picture. Shares are of the picture's height; the counts are of frames."""

    name: str
    frames: int
    follows: bool
    least: float
    """The smallest that the standing body would be, at the distance of its hips."""
    median: float
    drawn_median: float
    """The same of what is drawn: smaller where the body crouches or lies."""
    heads_cut: int
    """Frames with any of the head outside the picture."""
    cut: int
    """Frames with anything outside, hair and hands included."""

    @property
    def passes(self) -> bool:
        """Whether the clip keeps the limits."""
        return self.least >= LEAST_SHARE and self.heads_cut == 0


def measured(name: str, motion: Motion, character: Character, camera: str = "three-quarter") -> Framing:
    """`motion` put onto `character` and seen as films of `anime` see it."""
    made = Recipe([]).run(motion, character)
    shot = shot_of(made.motion, character, camera=camera, size=SIZE)
    frames = np.unique(np.linspace(0, len(made.motion) - 1, MOST_FRAMES).round().astype(int))
    weighted = [
        (mesh.joints, mesh.weights, start) for mesh, start in zip(character.meshes, shot.skin.starts, strict=False)
    ]
    skull = character.skeleton.roles["head"]
    head = np.concatenate(
        [start + np.flatnonzero(((joints == skull) * weights).sum(axis=1) > 0.5) for joints, weights, start in weighted]
    )
    every = np.unique(shot.painter.triangles)
    some = np.unique(np.concatenate([every[:: max(1, len(every) // POINTS)], head[:: max(1, len(head) // 300)]]))
    is_head = np.isin(some, head)
    tall, hips = stature(character.skeleton), made.motion.world_positions()[:, character.skeleton.roles["hips"]]
    shares, drawn, heads, cut = [], [], 0, 0
    for part in np.array_split(frames, max(1, len(frames) // 50)):
        for frame, places in zip(part, shot.skin.places_of(made.motion.taken(part), some), strict=True):
            seen = shot.camera.at(int(frame))
            x, y, _ = view_of(seen, *SIZE).seen(places)
            out = (x < 0) | (x > SIZE[0]) | (y < 0) | (y > SIZE[1])
            heads, cut = heads + bool(out[is_head].any()), cut + bool(out.any())
            drawn.append(np.ptp(y) / SIZE[1])
            away = float((seen.position - hips[frame]) @ seen.axes[2])
            shares.append(tall / (2.0 * np.tan(np.radians(seen.fov_deg) / 2.0) * away))
    return Framing(
        name, len(frames), shot.camera.frames is not None, float(min(shares)), float(np.median(shares)), float(np.median(drawn)), heads, cut
    )  # fmt: skip


def all_measured(files: list[Path], character: Character | None = None) -> list[Framing]:
    """Every file that holds a motion of a person, measured on the built-in girl if no character is given."""
    body = characters.character("girl") if character is None else character
    result = []
    for path in files:
        try:
            result.append(measured(path.name, komadori.load(path), body))
        except (FormatError, OptionError) as error:
            print(f"{path.name}: {error}", file=sys.stderr)
    return result


def main() -> int:
    """A table of all real BVH clips at hand; those of even place in the list are the ones that the limits were chosen on."""
    folder = real_data()
    if folder is None:
        print("the real clips are not at hand (set KOMADORI_DATA to their folder)")
        return 0
    files = sorted(
        path
        for kind in ("human_cmu_bvh", "human_cmu_styles", "human_other_bvh")
        for path in (folder / kind).glob("*.bvh")
    )
    failed = 0
    for half in (0, 1):
        rows = all_measured(files[half::2])
        print(
            f"{('tuned on', 'held out')[half]}: {len(rows)} clips, {sum(row.follows for row in rows)} followed, least {min(r.least for r in rows):.2f}, "
            f"median {np.median([r.median for r in rows]):.2f}, heads cut {sum(r.heads_cut for r in rows)}, anything cut {sum(r.cut for r in rows)} frames"
        )
        for row in rows:
            failed += not row.passes
            print(
                f"  {row.name:40} {row.frames:5} {'follows' if row.follows else 'still':8} {row.least:.2f} {row.median:.2f} {row.drawn_median:.2f} {row.heads_cut:4} {row.cut:4}"
            )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
