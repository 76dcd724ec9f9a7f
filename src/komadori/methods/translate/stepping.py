"""Stepping: where each hoof stands and when it flies: standing hooves are fixed points, swinging ones fly on smooth arcs.

A person's steps are the beat: a hind foot swings with the person's foot, a fore foot after it with the lag of the animal's
gait. A leg that would be stretched too far steps early, whatever the person does.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from komadori.methods.translate.footwork import USUAL_LIFT, Swing
from komadori.methods.translate.quadruped_options import ActingOptions
from komadori.methods.translate.steering import Root

BENDING = 0.13
"""Radians by which the spine bends for each radian a second of turning."""
SHORTEST_S = 0.23
"""No hoof flies for a shorter time."""
FALLING = 2.2
"""Units per second at which a hoof rises and falls at most: a high one takes its time."""
CATCHING_S = 0.33
"""The flight of a hoof that steps because its leg would be stretched."""
SQUARE = 0.5
"""Share of its reach by which a hoof may stand away from home while the animal stands; beyond, it is set right."""
TWISTED = 0.8
"""Radians by which a standing hoof may be turned against the body."""
STRETCHED = 0.92
"""Share of its reach at which a standing leg steps, whatever the person does."""
FOLD_S = 0.36
"""A flight of this time has room for all of the gait's own fold."""
FARTHEST = 0.8
"""Share of its reach to which a hoof is set before or behind its home at most."""
LANDED = 0.015
"""Units over its own height under which a body that leapt is down."""
TUCK = 0.6
"""How much of the height of a leap the hooves are lifted by."""
ODD, LIMPING = 0.7, 2.2
"""Share by which one side lifts its hooves higher or lower at most; and how much more uneven an animal's lower steps are than the person's."""
PLACED = 0.2
"""How much of the person's own place for a foot counts, beside where the stance to come wants it."""
HIGHEST = 0.34
"""Units of the animal to which a hoof is lifted at most."""
_REST_S = 0.6
_OPEN_S = 0.25
_PIVOT = 0.6
"""Radians per second from which the body pivots."""
_WAITS_S = 0.9
"""A travelling body needs its legs: a hoof waits no longer for the person's foot, except while the animal stands still."""
_ALIKE = 0.25
"""Units within which the person's own place for a foot is believed."""
_SOON_S = 0.35


Place = tuple[float, float, float]
"""Over the ground, and turned."""


@dataclass(slots=True)
class Order:
    """A swing that a hoof has to do: the person's swing, by how much of a cycle the hoof is later, and what share of
    a cycle the animal's own gait would give to it.
    """

    swing: Swing
    lag: float
    own: float


@dataclass(slots=True)
class Hoof:
    """One hoof, in units of the animal. While it stands `progress` is 0."""

    x: float = 0.0
    z: float = 0.0
    yaw: float = 0.0
    lifted: bool = False
    progress: float = 0.0
    height: float = 0.0
    peak: float = 0.0
    fold: float = 0.0
    """How much of the gait's own fold the flying leg shows: little in a quick or a low step."""
    start: Place = (0.0, 0.0, 0.0)
    left: Place = (0.0, 0.0, 0.0)
    """Where it was lifted, as seen from the body: to the left, ahead, and turned; `near`, likewise, where it will land."""
    goal: Place = (0.0, 0.0, 0.0)
    near: Place = (0.0, 0.0, 0.0)
    outside: float = 0.0
    """Shares of its reach by which it stood beyond that when it was lifted."""
    landing: float = 0.0
    begun: int = 0
    since: int = -999
    stance_s: float = 0.6
    order: Order | None = None
    queue: deque[Order] = field(default_factory=deque)


@dataclass(frozen=True)
class Ground:
    """What bounds the steps of one hoof, in units of the animal: where it belongs, how far it reaches, how high it swings."""

    side: float
    ahead: float
    reach: float
    reach_side: float
    lift: float
    highest: float
    """How high it can be lifted at most, the leg folded as far as it goes."""


class Stepping:
    """The four hooves (LH, RH, LF, RF), frame by frame."""

    def __init__(self, fps: float, grounds: tuple[Ground, ...], options: ActingOptions) -> None:
        self._fps, self._grounds, self._options = fps, grounds, options
        self.hooves = tuple(Hoof() for _ in range(4))
        self.shift = [(0.0, 0.0)] * 4
        """How much farther left and ahead each hoof is set than its home."""
        self.lifts = [1.0, 1.0]
        """How high the person's feet swing, as a share of a plain walk's."""
        self.fore_lift = 1.0
        self.high = 0.0
        """Units by which the body is higher than when it stands."""
        self.stances_s = [0.6] * 4
        """How long each foot is likely to stand once it lands."""
        self.cycle = fps
        """Frames from one of the person's steps with a foot to the next."""
        self.scale = 1.0
        """Units of the animal for a leg length of the person."""
        self.rears: float | None = None
        """The frame in which the animal comes down again that stands on its hind legs."""
        self._still = 0.0
        self._root = Root(0.0, 0.0, 0.0)

    def begin(self, root: Root) -> None:
        """Set every hoof where it belongs."""
        for foot, hoof in enumerate(self.hooves):
            hoof.x, hoof.z = self._home(foot, root.x, root.z, root.heading, root.turning)
            hoof.yaw = root.heading

    def ordered(self, foot: int, order: Order) -> None:
        """Another swing for a hoof; one that it does already, or has still to do, is not done twice."""
        hoof = self.hooves[foot]
        lift = order.swing.lifted + order.lag * self.cycle
        last = hoof.queue[-1] if hoof.queue else None
        if last is not None and lift < last.swing.lifted + last.lag * self.cycle + SHORTEST_S * self._fps:
            return
        hoof.queue.append(order)

    def forget(self, foot: int, since: float) -> None:
        """Drop the swings of a hoof that were ordered for frames from `since` on."""
        hoof = self.hooves[foot]
        hoof.queue = deque(order for order in hoof.queue if order.swing.lifted < since)

    def advance(self, frame: int, root: Root, later: Root, preview_s: float) -> None:
        """One frame on, with the body at `root`, and at `later` in `preview_s` seconds."""
        speed = math.hypot(root.ahead, root.aside) + 0.5 * abs(root.turning)
        soon = math.hypot(later.ahead, later.aside) + 0.5 * abs(later.turning)
        still = max(speed, soon) < 0.08
        self._still = self._still + 1.0 / self._fps if still else 0.0
        self._root = root
        for foot, hoof in enumerate(self.hooves):
            if not hoof.lifted:
                self._maybe_lift(frame, foot, hoof, root, later)
            if hoof.lifted:
                self._fly(frame, foot, hoof, root, later, preview_s)

    # Standing.

    def _maybe_lift(self, frame: int, foot: int, hoof: Hoof, root: Root, later: Root) -> None:
        fps = self._fps
        if foot > 1 and self.rears is not None:
            # A raised hoof cannot stand.
            if self.rears > frame + SHORTEST_S * fps:
                self._lift(frame, foot, hoof, None, self.rears)
            return
        while hoof.queue and self._span(hoof.queue[0])[1] <= frame + 0.1 * fps:
            hoof.queue.popleft()
        if hoof.queue and self._span(hoof.queue[0])[0] <= frame and frame - hoof.since > 0.08 * fps:
            order = hoof.queue.popleft()
            self._lift(frame, foot, hoof, order, self._span(order)[1])
            return
        far, coming = self._far(foot, hoof, root), self._far(foot, hoof, later)
        # A hoof that was set ahead of the body comes nearer by itself. In a pivot it does so too fast to look ahead.
        stretched = far if coming >= far or far > 1.2 else 0.0
        if abs(later.turning) < _PIVOT:
            stretched = max(stretched, 0.9 * coming)
        other = self.hooves[foot ^ 1]
        free = not other.lifted or other.progress > 0.8
        if stretched > STRETCHED and (free or far > 1.1):
            if hoof.queue and self._span(hoof.queue[0])[0] < frame + _SOON_S * fps:
                # It would step in a moment anyway: it steps now, and flies a little longer.
                order = hoof.queue.popleft()
                self._lift(frame, foot, hoof, order, self._span(order)[1])
                return
            self._lift(frame, foot, hoof, None, frame + CATCHING_S * fps)
            return
        stands = self._still > _REST_S and not hoof.queue and not any(h.lifted for h in self.hooves)
        if stands and far > SQUARE and far >= max(self._far(n, h, root) for n, h in enumerate(self.hooves)):
            self._lift(frame, foot, hoof, None, frame + 1.3 * CATCHING_S * fps)

    def _span(self, order: Order) -> tuple[float, float]:
        """Frames of lifting and landing: the landing is the beat, the timing says how long before it the hoof lifts."""
        swing, lag, own = order.swing, order.lag * self.cycle, order.own * self.cycle
        shortest = SHORTEST_S * self._fps
        if swing.landed is None:
            lift = swing.lifted + lag
            return lift, lift + max(shortest, own)
        length = max(shortest, own + self._options.timing * (swing.landed - swing.lifted - own))
        land = swing.landed + lag
        return land - length, land

    def _lift(self, frame: int, foot: int, hoof: Hoof, order: Order | None, landing: float) -> None:
        root = self._root
        hoof.start = hoof.goal = (hoof.x, hoof.z, hoof.yaw)
        hoof.left = hoof.near = _seen(hoof.start, root.x, root.z, root.heading)
        hoof.outside = max(self._far(foot, hoof, root) - 1.0, 0.0)
        hoof.lifted, hoof.progress, hoof.begun, hoof.order = True, 0.0, frame, order
        hoof.landing = landing
        hoof.peak = self._peak(foot, hoof, (landing - frame) / self._fps)
        quick = min(1.0, (landing - frame) / (FOLD_S * self._fps))
        hoof.fold = quick * math.tanh(0.8 * hoof.peak / self._grounds[foot].lift)

    def _peak(self, foot: int, hoof: Hoof, seconds: float) -> float:
        """How high it goes in a flight of `seconds`: the animal's own lift, as much more or less as the person's foot is lifted."""
        options = self._options
        own, mean = self.lifts[foot % 2], 0.5 * (self.lifts[0] + self.lifts[1])
        if hoof.order is not None and hoof.order.swing.foot == foot % 2:
            peak = hoof.order.swing.peak / USUAL_LIFT
            own = peak if hoof.order.swing.landed is not None else max(own, peak)
        share = max(0.3, 1.0 + options.lift * (mean - 1.0))
        height = self._grounds[foot].lift * share * (self.fore_lift if foot > 1 else 1.0)
        # A limp survives even in the highest march: left and right differ by a ratio, whatever their height.
        odd = LIMPING * options.lift * options.asymmetry * (own - mean) / max(mean, 0.3)
        # A body that is low already has less room under it.
        highest = max(min(HIGHEST, self._grounds[foot].highest + min(self.high, 0.0)), 0.5 * self._grounds[foot].lift)
        highest = min(highest, FALLING * max(seconds, SHORTEST_S) / math.pi)
        return highest * math.tanh(height / highest) * max(1.0 + ODD * math.tanh(odd / ODD), 0.3)

    # Flying.

    def _fly(self, frame: int, foot: int, hoof: Hoof, root: Root, later: Root, preview_s: float) -> None:
        fps = self._fps
        if hoof.order is not None:
            swing = hoof.order.swing
            if swing.landed is not None:
                hoof.landing = max(swing.landed + hoof.order.lag * self.cycle, hoof.begun + SHORTEST_S * fps)
                if self._still == 0.0:
                    hoof.landing = min(hoof.landing, hoof.begun + _WAITS_S * fps)
            elif self._still > 0.0 or frame - hoof.begun < _WAITS_S * fps:
                # The person's foot is still in the air: the hoof waits for it, with time left to come down.
                hoof.landing = max(hoof.landing, frame + _OPEN_S * fps)
            if hoof.progress < 0.45:
                hoof.peak += 0.5 * (self._peak(foot, hoof, (hoof.landing - hoof.begun) / fps) - hoof.peak)
        if foot > 1 and self.rears is not None:
            hoof.landing = max(min(self.rears, frame + _OPEN_S * fps), hoof.begun + SHORTEST_S * fps)
        if self.high > LANDED and hoof.order is not None and hoof.order.swing.jump:
            hoof.landing = max(hoof.landing, frame + 1.0)
        shortest = max(SHORTEST_S, math.pi * hoof.peak / FALLING)
        left = max(hoof.landing - frame, (1.0 - hoof.progress) * shortest * fps - 1.0, 0.0)
        hoof.progress += (1.0 - hoof.progress) / (left + 1.0)
        share = _smooth(hoof.progress)
        if hoof.progress < 0.97:
            goal, near = self._goal(foot, hoof, left / fps, root, later, preview_s)
            # A goal that moves is followed, not jumped to.
            keep = 0.0 if hoof.progress < 0.25 else 0.6
            hoof.goal, hoof.near = _between(goal, hoof.goal, keep), _between(near, hoof.near, keep)
        # It leaves the ground where it stood and comes down where it will stand; in the air between, it goes with the body.
        start = _between(hoof.start, _carried(hoof.left, root), _smooth(min(1.0, 2.5 * hoof.progress)))
        end = _between(_carried(hoof.near, root), hoof.goal, share)
        hoof.x, hoof.z, hoof.yaw = self._within(foot, _between(start, end, share), hoof.outside * (1.0 - share), root)
        hoof.height = hoof.peak * math.sin(math.pi * hoof.progress**0.85) ** 2
        if hoof.order is not None and hoof.order.swing.jump:
            # A body that comes down on outstretched legs would push its hooves into the ground.
            hoof.height += TUCK * max(self.high - LANDED, 0.0)
        if left < 1.0:
            hoof.lifted, hoof.progress, hoof.height, hoof.since, hoof.order = False, 0.0, 0.0, frame, None

    def _within(self, foot: int, place: Place, more: float, root: Root) -> Place:
        """`place`, no farther from home than the leg reaches and `more`: a body that turns under a flying hoof takes it along."""
        x, z = self._home(foot, root.x, root.z, root.heading, root.turning)
        far = self._share(foot, place[0] - x, place[1] - z, root.heading)
        keep = min(1.0, (1.0 + more) / max(far, 1e-9))
        return x + keep * (place[0] - x), z + keep * (place[1] - z), place[2]

    def _share(self, foot: int, x: float, z: float, heading: float) -> float:
        """How far (x, z) from home is, as a share of what the leg reaches."""
        sine, cosine = math.sin(heading), math.cos(heading)
        ground = self._grounds[foot]
        return math.hypot((cosine * x - sine * z) / ground.reach_side, (sine * x + cosine * z) / ground.reach)

    def _goal(
        self, foot: int, hoof: Hoof, left_s: float, root: Root, later: Root, preview_s: float
    ) -> tuple[Place, Place]:
        """Where the hoof belongs within its coming stance, no farther than it reaches when it lands; and that place as the body sees it then.

        A hind foot lands as far before its home as the person's foot does, if that is about the same.
        """
        landing = _at(root, later, preview_s, left_s)
        middle = _at(root, later, preview_s, left_s + 0.5 * self.stances_s[foot])
        ground = self._grounds[foot]
        x, z = self._home(foot, *middle, later.turning)
        home_x, home_z = self._home(foot, *landing, later.turning)
        sine, cosine = math.sin(landing[2]), math.cos(landing[2])
        aside = cosine * (x - home_x) - sine * (z - home_z)
        ahead = sine * (x - home_x) + cosine * (z - home_z)
        if foot < 2 and hoof.order is not None and (placed := hoof.order.swing.placed) is not None:
            gap = self.scale * placed[0] - ahead - self.shift[foot][1]
            ahead += PLACED * min(1.0, self._options.asymmetry) * gap / (1.0 + (gap / _ALIKE) ** 6)
        far = math.hypot(ahead / ground.reach, aside / ground.reach_side)
        scale = 1.0 / (1.0 + (far / FARTHEST) ** 6) ** (1.0 / 6.0)
        x, z = home_x + scale * (cosine * aside + sine * ahead), home_z + scale * (cosine * ahead - sine * aside)
        goal = x, z, 0.5 * (landing[2] + middle[2])
        return goal, _seen(goal, *landing)

    def _home(self, foot: int, x: float, z: float, heading: float, turning: float) -> tuple[float, float]:
        ground, (left, ahead) = self._grounds[foot], self.shift[foot]
        sine, cosine = math.sin(heading), math.cos(heading)
        left, ahead = ground.side + left, ground.ahead + ahead
        if foot > 1:
            # A spine that bends into the turn takes the shoulders with it.
            left += 0.5 * BENDING * turning * ahead
        return x + cosine * left + sine * ahead, z + cosine * ahead - sine * left

    def _far(self, foot: int, hoof: Hoof, root: Root) -> float:
        """How far a hoof stands from home, as a share of what its leg reaches."""
        x, z = self._home(foot, root.x, root.z, root.heading, root.turning)
        far = self._share(foot, hoof.x - x, hoof.z - z, root.heading)
        return max(far, abs(hoof.yaw - root.heading) / TWISTED)


def _at(root: Root, later: Root, preview_s: float, seconds: float) -> tuple[float, float, float]:
    """Where the body will be in `seconds`: within the preview between what is known, beyond it as it goes then."""
    if seconds <= preview_s:
        share = seconds / preview_s
        return (
            root.x + share * (later.x - root.x),
            root.z + share * (later.z - root.z),
            root.heading + share * (later.heading - root.heading),
        )
    return later.later(min(seconds - preview_s, 1.0))


def _seen(place: Place, x: float, z: float, heading: float) -> Place:
    """A place as a body at (x, z) sees it: to the left, ahead, and turned."""
    sine, cosine = math.sin(heading), math.cos(heading)
    x, z = place[0] - x, place[1] - z
    return cosine * x - sine * z, sine * x + cosine * z, place[2] - heading


def _carried(seen: Place, root: Root) -> Place:
    """Where that is which the body at `root` sees so."""
    sine, cosine = math.sin(root.heading), math.cos(root.heading)
    left, ahead, yaw = seen
    return root.x + cosine * left + sine * ahead, root.z + cosine * ahead - sine * left, root.heading + yaw


def _between(a: Place, b: Place, share: float) -> Place:
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2])


def _smooth(x: float) -> float:
    """From 0 to 1, at rest at both ends."""
    return x * x * (3.0 - 2.0 * x)
