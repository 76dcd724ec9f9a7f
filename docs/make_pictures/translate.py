"""Writes the pictures of docs/translate.md: `python docs/make_pictures/translate.py FOLDER_OF_CMU_BVH_FILES [FOLDER_OF_GLB_ANIMALS [FOLDER_OF_CMU_STYLES]]`.

The people are CMU's motion capture database (subjects 08 and 91), which is free for all uses; the wolf and the second horse are
Quaternius' (CC0); the first horse is built in.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import komadori
from komadori import Motion, Translator, quat, roles
from komadori.camera import Camera
from komadori.characters import character, sample
from komadori.quat import Array
from komadori.render.drawing import Drawing, Item, Text, save
from komadori.render.figures import motion_gif, strip
from komadori.render.layout import placed
from komadori.render.shot import shot_of
from komadori.render.stand_in import stand_in
from komadori.render.toon import Pixels

PICTURES = Path(__file__).parents[1] / "pictures"
FPS = 30.0
ACTED = {
    "sad": ("91_13", 226, 10),
    "lavish": ("91_11", 96, 6),
    "limping": ("91_16", 110, 5),
    "marching": ("91_19", 96, 5),
    "figure-eight": ("91_03", 110, 14),
    "half-turn": ("91_29", 241, 6),
    "boxing": ("13_17", 150, 10),
    "cartwheel": ("49_06", 20, 11),
}
"""Ways of walking, and what is no walk: the clip, the first frame shown, and frames from one to the next."""


def main(cmu: Path, animals: Path | None, styles: Path | None) -> None:
    """Make them all."""
    people = {
        name: komadori.load(cmu / f"{name}.bvh").prepared(FPS) for name in ("08_01", "08_02", "08_03", "08_04", "08_07")
    }
    train = [people[name] for name in ("08_01", "08_02", "08_03")]
    arms = Translator.fit([(clip, clip) for clip in train])
    frames = range(4, 74, 6)
    write("translate-arms.png", captioned(strip(people["08_07"], frames), "captured (CMU 08_07, exaggerated stride)"),
          captioned(strip(arms.run(people["08_07"]), frames), "legs captured, arms from the legs"))  # fmt: skip
    horse = character("horse")
    walks = {name: komadori.quadruped(people[name], horse).motion for name in ("08_01", "08_04", "08_07")}
    frames = range(8, 62, 5)
    write("translate-horse.png", captioned(strip(people["08_01"], frames, view="side"), "the person (CMU 08_01)"),
          *(captioned(strip(walks[name], frames, view="side"), f"the horse: {told}") for name, told in
            (("08_01", "driven by the walk"), ("08_04", "by a slow walk"), ("08_07", "by an exaggerated stride"))))  # fmt: skip
    motion_gif([people["08_04"], walks["08_04"]], PICTURES / "translate-horse.gif", ["person", "horse"], view="side")
    bodies = {"horse": horse}
    if animals is not None:
        bodies["drawn-horse"] = komadori.load_character(animals / "quaternius_Horse.glb")
        bodies["wolf"] = komadori.load_character(animals / "quaternius_Wolf.glb")
    walk = sample("walk", FPS)
    halt = walk.taken(np.concatenate([np.arange(60), np.full(40, 59)]))
    told = {
        "a walk (CMU 08_01)": (people["08_01"], 70),
        "a slow walk (08_04)": (people["08_04"], 80),
        "an exaggerated stride (08_07)": (people["08_07"], 80),
        "a jog (built in)": (sample("jog", FPS), 50),
        "a turn to the left": (turning(walk), 100),
        "a stop": (halt, 90),
        "backwards": (walk.taken(np.arange(len(walk))[::-1]), 60),
    }
    for name, body in bodies.items():
        rows = [
            row(komadori.quadruped(person, body).motion, body, text, np.linspace(3, min(last, len(person) - 1), 8))
            for text, (person, last) in told.items()
        ]
        keep(rows, f"translate-sheet-{name}.png")
    if styles is not None:
        for told_as, (clip, first, every) in ACTED.items():
            folder = styles if clip.startswith("91_") else cmu
            acted(komadori.load(folder / f"{clip}.bvh").prepared(FPS), bodies, told_as, clip, first, every)


def acted(person: Motion, bodies: dict[str, komadori.Character], name: str, clip: str, first: int, every: int) -> None:
    """A person above, and the animals that the same frames become below."""
    frames = first + every * np.arange(8)
    rows = [row(person, stand_in(person.skeleton), f"the person: {name} (CMU {clip})", frames, person=True)]
    for title, body in bodies.items():
        if title != "drawn-horse":
            rows.append(row(komadori.quadruped(person, body).motion, body, f"the {title}", frames))
    keep(rows, f"translate-acting-{name}.png")


def keep(rows: list[Pixels], name: str) -> None:
    """One row below the other, in few colours."""
    Image.fromarray(np.concatenate(rows)).quantize(96, dither=Image.Dither.NONE).save(PICTURES / name, optimize=True)


def turning(walk: Motion) -> Motion:
    """`walk` bent by a quarter turn to the left."""
    angle = np.clip((np.arange(len(walk)) - 20) / 50, 0.0, 1.0) * np.pi / 2
    turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), angle)
    positions, rotations = np.array(walk.positions), np.array(walk.rotations)
    steps = quat.rotate(turn[1:], np.diff(walk.positions[:, 0], axis=0))
    positions[1:, 0] = positions[0, 0] + np.cumsum(steps, axis=0)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    return walk.replaced(rotations=rotations, positions=positions)


def row(motion: Motion, body: komadori.Character, text: str, frames: Array, person: bool = False) -> Pixels:
    """Frames beside each other, from a camera that goes along at the side, and what is shown above."""
    known, world = roles.known(motion.skeleton), motion.world_positions()
    legs = [world[:, known[f"{side}_upper_leg"]] for side in ("left", "right")]
    hips = 0.5 * (legs[0] + legs[1])
    tall = float(np.median(hips[:, 1]))
    if person:
        middle, forward = np.array(hips), np.cross((legs[0] - legs[1])[int(frames[0])], [0.0, 1.0, 0.0])
        far, up = 6.6 * tall, 1.0
    else:
        fore = 0.5 * (world[:, known["left_upper_arm"]] + world[:, known["right_upper_arm"]])
        middle, forward = 0.5 * (hips + fore), (fore - hips)[int(frames[0])]
        far, up = max(7.4 * tall, 9.0 * float(np.linalg.norm(forward))), 0.78
    middle[:, 1] = up * tall
    forward = forward * np.array([1.0, 0.0, 1.0])
    side = np.cross(forward / np.linalg.norm(forward), [0.0, 1.0, 0.0])
    camera = Camera(middle + far * (side + np.array([0.0, 0.12, 0.0])), middle, fov_deg=20.0)
    shot = shot_of(motion, body, camera=camera, size=(156, 128))
    pictures = [shot.picture(int(frame)) for frame in frames]
    shown = Image.fromarray(np.concatenate(pictures, axis=1))
    ImageDraw.Draw(shown).text((6, 4), text, fill=(34, 39, 46), font_size=13)
    return np.asarray(shown)


def captioned(drawing: Drawing, text: str) -> Drawing:
    """With a line above."""
    title: tuple[Item, ...] = (Text(6.0, 15.0, text, 13.0, "#22272e", bold=True),)
    return placed([(0.0, 0.0, Drawing(drawing.width, 20.0, title)), (0.0, 20.0, drawing)])


def write(name: str, *drawings: Drawing) -> None:
    """One below the other, into the pictures' folder."""
    tops = np.append(0.0, np.cumsum([drawing.height + 6.0 for drawing in drawings]))
    stacked = placed([(0.0, float(top), drawing) for top, drawing in zip(tops, drawings, strict=False)])
    save(stacked, PICTURES / name, scale=1.0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(Path(sys.argv[n]) if len(sys.argv) > n else None for n in (2, 3)))
