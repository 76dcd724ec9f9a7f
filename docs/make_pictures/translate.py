"""Writes the pictures of docs/translate.md: `python docs/make_pictures/translate.py FOLDER_OF_CMU_BVH_FILES [FOLDER_OF_GLB_ANIMALS]`.

The people are CMU's motion capture database (subject 08), which is free for all uses; the wolf is Quaternius' (CC0); the horse
is built in.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import komadori
from komadori import Motion, Translator
from komadori.characters import character, sample
from komadori.render.drawing import Drawing, Item, Text, save
from komadori.render.figures import motion_gif, strip
from komadori.render.layout import placed

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
    trot = komadori.quadruped(sample("walk", FPS), horse, gait="run")
    shown = [captioned(strip(trot, range(10, 60, 5), view="side"), "the horse's trot, by the phase of a person's legs")]
    if animals is not None:
        wolf = komadori.quadruped(people["08_01"], komadori.load_character(animals / "quaternius_Wolf.glb"))
        shown.append(captioned(strip(wolf, range(10, 60, 5), view="side"), "Quaternius' wolf, driven by CMU 08_01"))
    shown.append(
        captioned(strip(turning(horse), range(10, 110, 10), view="three-quarter"), "a quarter turn, then a stop")
    )
    write("translate-animals.png", *shown)


def turning(horse: komadori.Character) -> Motion:
    """The built-in walk bent to the left, and then a stop."""
    walk = sample("walk", FPS).taken(np.concatenate([np.arange(90), np.full(30, 89)]))
    from komadori import quat

    angle = np.clip((np.arange(len(walk)) - 20) / 50, 0.0, 1.0) * np.pi / 2
    turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), angle)
    positions, rotations = np.array(walk.positions), np.array(walk.rotations)
    steps = quat.rotate(turn[1:], np.diff(walk.positions[:, 0], axis=0))
    positions[1:, 0] = positions[0, 0] + np.cumsum(steps, axis=0)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    return komadori.quadruped(walk.replaced(rotations=rotations, positions=positions), horse)


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
