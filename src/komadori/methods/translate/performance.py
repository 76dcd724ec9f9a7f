"""Performance: the result of a person driving an animal, with its data."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from komadori import feet, quat
from komadori.methods.translate import gaits
from komadori.methods.translate.gaits import Footfalls
from komadori.methods.translate.quadruped_options import ActingOptions
from komadori.methods.translate.translator import Translator
from komadori.motion import Motion
from komadori.quat import Array
from komadori.result import Measure, Result
from komadori.timesheet import Timesheet
from komadori.words import Note


@dataclass(frozen=True, eq=False)
class QuadrupedResult(Result):
    """The animal's motion, when each foot (LH, RH, LF, RF) stands, (F, 4), the speed (F,) in metres per second, the path (F, 3)
    over the ground, and the gait (F,) by name.

    `planned` (F, 4) are the feet that should stand: those that do not, in spite of it, are held off their place by the limits of the joints.
    """

    source_motion: Motion
    options: ActingOptions
    motion: Motion
    contacts: feet.Contacts
    speed: Array
    way: Array
    gaits: tuple[str, ...]
    planned: NDArray[np.bool_]
    learnt: tuple[Translator, ...] = ()
    """The systems that made the pose where pairs were given: to the hind legs, the fore legs, and the rest of the body."""
    off_feet: int = 0
    """Frames in which the person is off their feet and the animal stands still."""
    notes: tuple[Note, ...] = ()
    sheet: Timesheet | None = None

    @property
    def slip(self) -> feet.Slip:
        """How far feet move that should stand, whether or not they are where they belong."""
        return feet.slippage(self.motion, replace(self.contacts, on=self.planned))

    @property
    def footfalls(self) -> Footfalls | None:
        """The gait, from the feet."""
        return gaits.footfalls(self.contacts.on, self.motion.fps)

    @property
    def measures(self) -> dict[str, Measure]:
        """Named numbers with their units."""
        slip, falls = self.slip, self.footfalls
        turned = quat.multiply(quat.inverse(self.motion.rotations[:-1]), self.motion.rotations[1:])
        steps = np.degrees(quat.angle(turned)) if len(self.motion) > 1 else np.zeros(1)
        down = self.contacts.standing
        off = self.planned & ~self.contacts.on
        return {
            "speed": Measure(float(np.abs(self.speed).mean()), "m/s"),
            "cycle": Measure(falls.cycle_s if falls else 0.0, "s"),
            "steps": Measure(float((~down[1:] & down[:-1]).sum()), "steps"),
            "foot_slip": Measure(100.0 * slip.per_frame, "cm per frame"),
            "largest_foot_drift": Measure(100.0 * slip.worst, "cm"),
            "largest_joint_step": Measure(float(steps.max()), "degrees per frame"),
            "feet_held_off": Measure(100.0 * float(off.sum()) / max(int(self.planned.sum()), 1), "%"),
        }
