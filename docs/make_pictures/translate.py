"""Writes the pictures of docs/translate.md: `python docs/make_pictures/translate.py FOLDER_OF_CMU_BVH_FILES [FOLDER_OF_GLB_ANIMALS]`.

The people are CMU's motion capture database (subject 08), which is free for all uses; the wolf and the second horse are Quaternius'
(CC0); the first horse is built in.
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
from komadori.render.drawing import Drawing, Item, Text, save
from komadori.render.figures import motion_gif, strip
from komadori.render.layout import placed
from komadori.render.shot import shot_of
from komadori.render.toon import Pixels

PICTURES = Path(__file__).parents[1] / "pictures"
FPS = 30.0


def main(cmu: Path, animals: Path | None) -> None:
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
    walks = {name: komadori.quadruped(people[name], horse) for name in ("08_01", "08_04", "08_07")}
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
        rows = [row(komadori.quadruped(person, body), body, text, last) for text, (person, last) in told.items()]
        picture = Image.fromarray(np.concatenate(rows)).quantize(96, dither=Image.Dither.NONE)
        picture.save(PICTURES / f"translate-sheet-{name}.png", optimize=True)


def turning(walk: Motion) -> Motion:
    """`walk` bent by a quarter turn to the left."""
    angle = np.clip((np.arange(len(walk)) - 20) / 50, 0.0, 1.0) * np.pi / 2
    turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), angle)
    positions, rotations = np.array(walk.positions), np.array(walk.rotations)
    steps = quat.rotate(turn[1:], np.diff(walk.positions[:, 0], axis=0))
    positions[1:, 0] = positions[0, 0] + np.cumsum(steps, axis=0)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    return walk.replaced(rotations=rotations, positions=positions)


def row(motion: Motion, body: komadori.Character, text: str, last: int) -> Pixels:
    """Eight frames up to `last` beside each other, from a camera that goes with the animal, and what drove it above."""
    known, world = roles.known(motion.skeleton), motion.world_positions()
    hind, fore = (
        0.5 * (world[:, known[f"left_upper_{part}"]] + world[:, known[f"right_upper_{part}"]])
        for part in ("leg", "arm")
    )
    tall = float(np.median(hind[:, 1]))
    middle = 0.5 * (hind + fore)
    middle[:, 1] = 0.78 * tall
    forward = (fore - hind)[0] * np.array([1.0, 0.0, 1.0])
    side = np.cross(forward / np.linalg.norm(forward), [0.0, 1.0, 0.0])
    far = max(7.4 * tall, 9.0 * float(np.linalg.norm(forward)))
    camera = Camera(middle + far * (side + np.array([0.0, 0.12, 0.0])), middle, fov_deg=20.0)
    shot = shot_of(motion, body, camera=camera, size=(156, 128))
    pictures = [shot.picture(int(frame)) for frame in np.linspace(3, min(last, len(motion) - 1), 8)]
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
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
