"""How the horse goes: walk and trot by rule, hooves that stand where they step, legs that reach them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from komadori import quat, rates
from komadori.characters.acting import Keys, through, turn
from komadori.characters.body import SIDES
from komadori.characters.figure import places_of
from komadori.characters.horse_skeleton import skeleton
from komadori.errors import OptionError
from komadori.motion import Motion
from komadori.quat import Array
from komadori.words import Note

MOST_FPS = 10_000

HIND = ("back_leg", "back_upper_leg", "back_lower_leg", "back_foot", "back_foot_end")
FORE = ("front_upper_leg", "front_lower_leg", "front_foot", "front_pastern", "front_pastern_end")


@dataclass(frozen=True)
class HorseGait:
    """A gait: metres, degrees, seconds; phases are shares of one cycle, 0 where the hoof strikes.

    `starts` are the strikes of the left hind, left fore, right hind and right fore hoof; a hoof stands for the share
    `duty`. `hind` and `fore` rows are phase, travelled share of the stride, height of the toe, pitch (heel up); `knee`
    rows are phase and how far the fore leg's knee folds. `bob` is how far the body rises and falls, twice a cycle.
    """

    cycles: int
    cycle_s: float
    stride: float
    duty: float
    starts: tuple[float, float, float, float]
    hind: Keys
    fore: Keys
    knee: Keys
    ahead: tuple[float, float]
    """How far the hind and the fore hooves are set ahead of where they stand at rest."""
    height: float
    bob: float
    bob_phase: float
    sway: float
    hips_roll: float
    hips_yaw: float
    pitch: float
    nod: float
    nod_phase: float
    neck: float
    tail_lift: float
    tail_swing: float
    shoulder: float = 9.0

    @property
    def speed(self) -> float:
        """Metres per second."""
        return self.stride / self.cycle_s

    def motion(self, fps: float = 24.0) -> Motion:
        """The gait at `fps` on the horse's skeleton; it ends in the pose in which it began."""
        rate = rates.exact(fps)
        if rate > MOST_FPS:
            raise OptionError("fps", expected=Note("at most {most} fps", most=MOST_FPS), found=fps)
        last = int(self.cycles * self.cycle_s * float(rate) + 1e-6)
        times = np.arange(last + 1) * rate.denominator / rate.numerator
        rotations, positions = self._posed(times)
        return Motion(skeleton(), fps, rotations, positions)

    def _posed(self, times: Array) -> tuple[Array, Array]:
        bones, at = skeleton(), places_of(skeleton())
        cycle = times / self.cycle_s
        angle = 2.0 * np.pi * cycle
        put = {name: joint for joint, name in enumerate(bones.names)}
        rotations = quat.identity(len(times), len(bones))
        positions = np.repeat(bones.offsets[None], len(times), axis=0)

        positions[:, 0, 0] += self.sway * np.sin(angle)
        positions[:, 0, 1] += self.height + self.bob * np.cos(2.0 * (angle - 2.0 * np.pi * self.bob_phase))
        positions[:, 0, 2] += self.speed * times
        self._trunk(rotations, put, angle)
        world: dict[str, tuple[Array, Array]] = {}

        def place(name: str) -> tuple[Array, Array]:
            """A joint's world rotation and position, by its parents."""
            if name not in world:
                joint = put[name]
                parent = int(bones.parents[joint])
                if parent < 0:
                    world[name] = rotations[:, joint], positions[:, joint]
                else:
                    q, p = place(bones.names[parent])
                    world[name] = quat.multiply(q, rotations[:, joint]), p + quat.rotate(q, positions[:, joint])
            return world[name]

        for n, (side, limb) in enumerate((s, x) for s, _ in SIDES for x in ("hind", "fore")):
            phase = cycle - self.starts[n]
            whole = np.floor(phase)
            names = [f"{side}_{name}" for name in (HIND if limb == "hind" else FORE)]
            travelled, up, pitch = through(self.hind if limb == "hind" else self.fore, phase - whole).T
            toe = np.repeat(at[names[-1]][None], len(times), axis=0)
            toe[:, 1] += up
            # Midway through its stand a hoof is where it stands at rest under the body.
            lead = self.ahead[0 if limb == "hind" else 1] + 0.5 * self.stride * self.duty
            toe[:, 2] += lead + self.stride * (self.starts[n] + whole + travelled)
            hoof = turn(pitch, "X")
            fetlock = toe - quat.rotate(hoof, bones.offsets[put[names[-1]]])
            fold = None
            if limb == "fore":
                fold = np.radians(through(self.knee, phase - whole)[:, 0])
                # The shoulder blade leads the leg out and follows it back.
                swing = -self.shoulder * np.cos(2.0 * np.pi * (phase + 0.02))
                rotations[:, put[f"{side}_front_shoulder"]] = turn(swing, "X")
            parent = bones.names[int(bones.parents[put[names[0]]])]
            above, base = place(parent)
            hip = base + quat.rotate(above, bones.offsets[put[names[0]]])
            local = quat.rotate(quat.inverse(above), fetlock - hip)
            turns = reached(local, np.stack([bones.offsets[put[name]] for name in names[1:4]]), fold)
            for name, q in zip(names[:3], turns, strict=True):
                rotations[:, put[name]] = q
            rotations[:, put[names[3]]] = quat.multiply(quat.inverse(place(names[2])[0]), hoof)
        return quat.continuous(rotations), positions

    def _trunk(self, rotations: Array, put: dict[str, int], angle: Array) -> None:
        roll, yaw = self.hips_roll * np.sin(angle), self.hips_yaw * np.cos(angle)
        tilt = self.pitch * np.sin(2.0 * angle)
        hips = quat.multiply(turn(yaw, "Y"), quat.multiply(turn(tilt, "X"), turn(roll, "Z")))
        rotations[:, put["back"]] = hips
        # The back bends against the hips, so the fore hand goes straight on.
        back = quat.log(quat.inverse(hips))
        for name, share in (("torso", 0.45), ("torso_2", 0.35), ("torso_3", 0.15)):
            rotations[:, put[name]] = quat.exp(share * back)
        nod = np.cos(2.0 * (angle - 2.0 * np.pi * self.nod_phase))
        late = np.cos(2.0 * (angle - 2.0 * np.pi * self.nod_phase) - 0.7)
        rotations[:, put["neck_1"]] = turn(self.neck + self.nod * nod, "X")
        rotations[:, put["neck_2"]] = turn(0.5 * self.neck + 0.6 * self.nod * late, "X")
        rotations[:, put["head"]] = turn(-0.9 * self.neck - 0.8 * self.nod * late, "X")
        for side, sign in SIDES:
            rotations[:, put[f"{side}_ear"]] = turn(5.0 * np.sin(2.0 * angle + sign), "X")
        for n in range(6):
            lag = 0.55 * n
            side_swing = self.tail_swing * (0.5 + 0.25 * n) * np.sin(angle - lag)
            bounce = (-self.tail_lift if n == 0 else 0.16 * self.tail_lift) + 1.6 * np.cos(2.0 * angle - lag)
            rotations[:, put[f"tail_{n + 1}"]] = quat.multiply(turn(side_swing, "Z"), turn(bounce, "X"))


def reached(target: Array, rest: Array, fold: Array | None) -> tuple[Array, Array, Array]:
    """Local rotations (F, 4) of three bones `rest` (3, 3) that bring their end to `target` (F, 3), seen from the first joint.

    They bend in one plane, about X, which tilts about Z. `fold` (F,) is how far the third bone is folded; None for a hind
    leg, whose hock opens and closes with the stifle.
    """
    beside = float(rest[:, 0].sum())
    flat = np.hypot(target[:, 0], target[:, 1])
    down = -np.sqrt(np.maximum(flat**2 - beside**2, 0.0))
    tilt = np.arctan2(target[:, 1], target[:, 0]) - np.arctan2(down, beside)
    # In the plane a vector is the number y + iz: a turn about X is a multiplication.
    goal = down + 1j * target[:, 2]
    a, b, c = (complex(y, z) for _, y, z in rest)
    way = float(np.sign(np.angle((b + c) / a)))
    if fold is None:
        bends = np.linspace(-0.5, 1.9, 481)
        tips = np.abs(a + (b + c * np.exp(-1j * way * bends)) * np.exp(1j * way * bends))
        fold = -way * np.interp(-np.abs(goal), -tips, bends)
    link = b + c * np.exp(1j * fold)
    long, far = np.abs(link), np.abs(goal)
    inner = np.clip((far**2 - abs(a) ** 2 - long**2) / (2.0 * abs(a) * long), -1.0, 1.0)
    second = way * np.arccos(inner) + np.angle(a) - np.angle(link)
    first = np.angle(goal) - np.angle(a + link * np.exp(1j * second))
    upper = quat.multiply(quat.from_euler(tilt[:, None], "Z"), quat.from_euler(first[:, None], "X"))
    return upper, quat.from_euler(second[:, None], "X"), quat.from_euler(np.asarray(fold)[:, None], "X")


WALK = HorseGait(
    cycles=3,
    cycle_s=7.0 / 6.0,
    stride=1.44,
    duty=0.62,
    starts=(0.0, 0.25, 0.5, 0.75),
    #     phase travelled up pitch
    hind=(
        (0.00, 0.0, 0.000, 0.0),
        (0.44, 0.0, 0.000, 0.0),
        (0.56, 0.0, 0.000, 16.0),
        (0.62, 0.0, 0.000, 40.0),  # breaks over the toe
        (0.69, 0.08, 0.045, 68.0),
        (0.79, 0.48, 0.075, 50.0),
        (0.90, 0.88, 0.050, 8.0),
        (0.97, 1.0, 0.010, -5.0),
        (1.00, 1.0, 0.000, 0.0),
    ),
    fore=(
        (0.00, 0.0, 0.000, 0.0),
        (0.46, 0.0, 0.000, 0.0),
        (0.57, 0.0, 0.000, 18.0),
        (0.62, 0.0, 0.000, 42.0),
        (0.70, 0.10, 0.090, 82.0),
        (0.79, 0.46, 0.125, 70.0),
        (0.90, 0.90, 0.060, 10.0),
        (0.97, 1.0, 0.010, -6.0),
        (1.00, 1.0, 0.000, 0.0),
    ),
    knee=(
        (0.00, 0.0),
        (0.50, 0.0),
        (0.60, 6.0),
        (0.72, 42.0),
        (0.80, 42.0),
        (0.92, 6.0),
        (0.97, 0.0),
        (1.00, 0.0),
    ),
    ahead=(0.06, 0.05),
    height=-0.020,
    bob=0.010,
    bob_phase=0.18,
    sway=0.012,
    hips_roll=2.2,
    hips_yaw=2.6,
    pitch=0.5,
    nod=3.6,
    nod_phase=0.05,
    neck=9.0,
    tail_lift=4.0,
    tail_swing=6.0,
)

TROT = HorseGait(
    cycles=6,
    cycle_s=2.0 / 3.0,
    stride=2.05,
    duty=0.40,
    starts=(0.0, 0.5, 0.5, 0.0),
    hind=(
        (0.00, 0.0, 0.000, 0.0),
        (0.24, 0.0, 0.000, 0.0),
        (0.35, 0.0, 0.000, 20.0),
        (0.40, 0.0, 0.000, 44.0),
        (0.50, 0.07, 0.110, 84.0),
        (0.66, 0.42, 0.180, 72.0),
        (0.84, 0.88, 0.110, 14.0),
        (0.96, 1.0, 0.022, -6.0),
        (1.00, 1.0, 0.000, 0.0),
    ),
    fore=(
        (0.00, 0.0, 0.000, 0.0),
        (0.26, 0.0, 0.000, 0.0),
        (0.36, 0.0, 0.000, 22.0),
        (0.40, 0.0, 0.000, 46.0),
        (0.50, 0.08, 0.190, 98.0),
        (0.66, 0.42, 0.280, 92.0),
        (0.84, 0.90, 0.170, 16.0),
        (0.96, 1.0, 0.026, -8.0),
        (1.00, 1.0, 0.000, 0.0),
    ),
    knee=(
        (0.00, 0.0),
        (0.28, 0.0),
        (0.38, 8.0),
        (0.54, 58.0),
        (0.68, 68.0),
        (0.88, 10.0),
        (0.96, 0.0),
        (1.00, 0.0),
    ),
    ahead=(0.03, 0.0),
    height=-0.015,
    bob=0.030,
    bob_phase=0.45,
    sway=0.0,
    hips_roll=1.2,
    hips_yaw=1.4,
    pitch=0.4,
    nod=1.2,
    nod_phase=0.40,
    neck=-2.0,
    tail_lift=16.0,
    tail_swing=4.0,
    shoulder=11.0,
)
GAITS = {"walk": WALK, "trot": TROT}
