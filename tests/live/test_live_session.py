"""A session in a bad network: the output keeps its rate and never jumps, and the status line says what happened."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import komadori
from komadori import feet, quat
from komadori.characters import character, humanoid, sample
from komadori.live import FileSource, LiveOptions, Loop, Recording, Session, Shown, played
from komadori.live.cleaning import BACK_RAD_S, FAST_RAD_S, GAINS_S, Tracker
from komadori.live.heard import NUMBER, ROLES, Heard
from komadori.live.opening import performed
from komadori.live.sources import Listener
from komadori.methods.translate import ActingOptions, QuadrupedStream

from live_packets import turns, vmc

FPS = 24.0
LENGTH = 4.0
PLAIN = LiveOptions(hair="none", feet=False)


class Simulated:
    """A clock that continues when somebody waits."""

    def __init__(self, start_s: float = 0.0) -> None:
        self.now_s = start_s

    def now(self) -> float:
        return self.now_s

    def wait(self, until_s: float, source: object) -> None:
        self.now_s = until_s


class Network:
    """A source of packets at moments that a test decides: (seconds, datagram, sender)."""

    def __init__(self, packets: Iterator[tuple[float, bytes, object]], until_s: float) -> None:
        self._packets, self._waiting, self._until_s = packets, next(packets, None), until_s
        self._listener = Listener("vmc")
        self.ended = False

    def poll(self, session: Session, now_s: float) -> None:
        while self._waiting is not None and self._waiting[0] <= now_s + 1e-9:
            at, datagram, sender = self._waiting
            self._listener.take(session, datagram, sender, at)
            self._waiting = next(self._packets, None)

    def close(self) -> None:
        pass


class Seen:
    """A sink that keeps what it is shown."""

    def __init__(self) -> None:
        self.frames: list[Shown] = []

    def show(self, frame: Shown) -> None:
        self.frames.append(frame)

    def close(self) -> None:
        pass


@cache
def dance(frame: int, seed: int = 0) -> bytes:
    return vmc(frame / 60.0, seed=seed)


def steady(seconds: float, seed: int = 0, sender: str = "one") -> list[tuple[float, bytes, object]]:
    return [(n / 60.0, dance(n, seed), sender) for n in range(int(seconds * 60))]


def ran(
    packets: list[tuple[float, bytes, object]], seconds: float, options: LiveOptions = PLAIN
) -> tuple[Session, list[Shown]]:
    session, seen = Session(character("mannequin"), options), Seen()
    Loop(session, Network(iter(packets), seconds), [seen], Simulated()).run(seconds)
    return session, seen.frames


def fastest_turn(frames: list[Shown]) -> float:
    """Radians per second at which the fastest joint turns between drawings."""
    made = np.array([frame.rotations for frame in frames])
    step = quat.angle(quat.multiply(made[1:], quat.inverse(made[:-1]))).max(axis=1)
    starts = np.flatnonzero(step > 1e-9)
    if not len(starts):
        return 0.0
    spans = np.diff(np.concatenate([[-1], starts]))
    return float((step[starts] * FPS / np.maximum(spans, 1)).max())


def late(rng: np.random.Generator, packets: list[tuple[float, bytes, object]]) -> list[tuple[float, bytes, object]]:
    moved = [(at + float(rng.exponential(0.03)), data, sender) for at, data, sender in packets]
    return sorted(moved, key=lambda each: each[0])


@pytest.mark.parametrize(
    "trouble", ["none", "lost", "doubled", "reordered", "malformed", "stops", "two", "bursts", "slow"]
)
def test_whatever_the_network_does_the_rate_is_kept_and_nothing_jumps(trouble: str) -> None:
    rng = np.random.default_rng(3)
    packets = steady(LENGTH)
    if trouble == "lost":
        packets = [each for each in packets if rng.random() > 0.4]
    elif trouble == "doubled":
        packets = [each for each in packets for _ in range(2)]
    elif trouble == "reordered":
        packets = late(rng, packets)
    elif trouble == "malformed":
        packets = [
            (at, data[: rng.integers(len(data))] if n % 3 else data, who) for n, (at, data, who) in enumerate(packets)
        ]
    elif trouble == "stops":
        packets = [each for each in packets if not 1.0 < each[0] < 2.5]
    elif trouble == "two":
        other = [(at + 0.005, data, who) for at, data, who in steady(LENGTH, 9, "two")]
        packets = sorted([*(each for each in packets if each[0] < 1.5), *other], key=lambda each: each[0])
    elif trouble == "bursts":
        packets = [(np.ceil(at * 8) / 8, data, who) for at, data, who in packets]
    elif trouble == "slow":
        packets = [each for n, each in enumerate(packets) if n % 6 == 0]
    session, frames = ran(packets, LENGTH)
    # Where the very first packets are lost, the first frame comes a little later.
    assert [frame.number for frame in frames] == list(range(len(frames)))
    assert int(LENGTH * FPS) - PLAIN.look_ahead - 3 <= len(frames) <= int(LENGTH * FPS) - PLAIN.look_ahead
    assert all(np.isfinite(frame.rotations).all() for frame in frames)
    # The dance itself turns at some five radians per second; a jump to another pose within a frame would be twenty and more.
    quiet = ran(steady(LENGTH), LENGTH)[1]
    assert fastest_turn(frames) < max(2.0 * fastest_turn(quiet), BACK_RAD_S * (1.0 + 1.0 / GAINS_S))
    status = session.status(LENGTH)
    told = {
        "doubled": status.doubled, "reordered": status.late, "malformed": status.malformed, "stops": status.gaps, "two": status.others,
    }  # fmt: skip
    for name, count in told.items():
        assert (count > 0) == (name == trouble) or (name, trouble) in {
            ("others", "two"),
            ("stops", "two"),
            ("malformed", "reordered"),
        }, name
    assert status.switched == (trouble == "two")


def test_a_dead_sender_is_told_and_the_body_waits_where_it_is() -> None:
    session, frames = ran([each for each in steady(5.0) if each[0] < 1.0], 5.0)
    assert not session.status(5.0).heard
    assert "waiting" in session.status(5.0).line()
    rest = np.array([frame.rotations for frame in frames[60:]])
    assert np.abs(rest - rest[0]).max() < 1e-3


def test_when_tracking_returns_the_body_goes_there_at_a_bounded_speed_and_arrives() -> None:
    tracker = Tracker(np.array([0.0, 0.9, 0.0]))
    known = np.ones(len(ROLES), dtype=bool)
    far = quat.exp(np.tile([0.0, 2.5, 0.0], (len(ROLES), 1)))
    for n in range(60):
        tracker.hear(Heard(quat.identity(len(ROLES)), known, np.array([0.0, 0.9, 0.0])), n / 60)
    poses = [tracker.at(1.0)]
    for n in range(120):
        now = 2.0 + n / 60
        tracker.hear(Heard(far, known, np.array([1.0, 0.9, 0.0])), now)
        poses.append(tracker.at(now))
    made = np.array([pose.rotations[5] for pose in poses if pose is not None])
    speed = quat.angle(quat.multiply(made[2:], quat.inverse(made[1:-1]))) * 60
    assert speed.max() <= BACK_RAD_S * (1.0 + 2.0 / GAINS_S) + 1e-6
    assert speed.max() < FAST_RAD_S
    assert quat.angle(quat.multiply(made[-1], quat.inverse(far[5]))) < 0.02
    last = poses[-1]
    assert last is not None
    np.testing.assert_allclose(last.hips, [1.0, 0.9, 0.0], atol=0.02)


def test_the_filter_takes_the_tremor_and_leaves_the_movement() -> None:
    rng = np.random.default_rng(0)
    known = np.ones(len(ROLES), dtype=bool)
    errors = {}
    for size in (0.0, 0.6):
        for clean in (True, False):
            tracker, found = Tracker(np.zeros(3), clean), []
            for n in range(300):
                now = n / 60
                true = turns(now, 1, size)
                noise = quat.exp(rng.normal(scale=np.radians(0.5), size=(len(ROLES), 3)))
                tracker.hear(Heard(quat.multiply(noise, true), known), now)
                pose = tracker.at(now)
                if pose is not None and n > 60:
                    found.append(pose.rotations)
            shown = np.array(found)
            errors[size, clean] = float(quat.angle(quat.multiply(shown[1:], quat.inverse(shown[:-1]))).mean())
            if size:
                truth = np.array([turns(n / 60, 1, size) for n in range(61, 300)])
                lag = float(np.degrees(quat.angle(quat.multiply(shown, quat.inverse(truth)))).mean())
                assert lag < (3.0 if clean else 1.0)
    assert errors[0.0, True] < 0.35 * errors[0.0, False]


def test_two_senders_do_not_mix() -> None:
    one, two = steady(2.0), steady(2.0, 9, "two")
    both = sorted([*one, *two], key=lambda each: (each[0], each[2] == "two"))
    alone, mixed = ran(one, 2.0)[1], ran(both, 2.0)[1]
    np.testing.assert_allclose([f.rotations for f in mixed], [f.rotations for f in alone], atol=1e-12)


def test_lost_packets_of_a_sender_that_counts_are_counted() -> None:
    session = Session(character("mannequin"), PLAIN)
    known = np.ones(len(ROLES), dtype=bool)
    for number in (1, 2, 5, 5, 4, 6):
        session.hear(Heard(quat.identity(len(ROLES)), known, number=number), number / 60)
    assert (session.counts.lost, session.counts.doubled, session.counts.late) == (2, 1, 1)


def test_a_long_session_neither_grows_nor_drifts() -> None:
    """Half a minute here, an hour in bench/live.py: once its buffers are full it takes no more, and frame n comes at n / 24 s."""
    session, clock = Session(character("mannequin"), PLAIN), Simulated(1e5)

    class Watch:
        at = 0.0

        def show(self, frame: Shown) -> None:
            self.at = clock.now_s

        def close(self) -> None:
            pass

    looped = [vmc(n / 60.0, stamped=False) for n in range(30)]
    packets = ((1e5 + n / 60.0, looped[n % 30], "one") for n in range(60 * 40))
    watch = Watch()
    loop = Loop(session, Network(packets, 0.0), [watch], clock)
    loop.run(24.0)
    tracemalloc.start()
    loop.run(3.0)
    before = tracemalloc.get_traced_memory()[0]
    loop.run(3.0)
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 20_000
    assert loop.frames == 30 * 24 - PLAIN.look_ahead
    assert watch.at == pytest.approx(1e5 + 30.0 - 1.0 / FPS, abs=1e-6)


def test_a_loop_that_was_held_up_is_in_time_again_and_says_so() -> None:
    session, seen, clock = Session(character("mannequin"), PLAIN), Seen(), Simulated()

    class Stalls(Network):
        def poll(self, session: Session, now_s: float) -> None:
            super().poll(session, now_s)
            if 1.0 < now_s < 1.1:
                clock.now_s += 0.7

    take = Recording(character("mannequin"), FPS)
    Loop(session, Stalls(iter(steady(4.0)), 4.0), [seen, take], clock).run(4.0)
    assert session.counts.skipped >= 14
    # What was skipped is held in the recording: it lasts as long as the performance did.
    assert len(take) == 96 - PLAIN.look_ahead
    assert seen.frames[-1].number == len(take) - 1
    assert take.sheet.source.max() < len(take)
    take.close()
    assert 3.9 < clock.now_s < 4.1
    assert len(seen.frames) == 96 - PLAIN.look_ahead - session.counts.skipped


def test_the_face_passes_through_or_is_held_on_threes() -> None:
    for face, changes in (("through", 1), ("threes", 3)):
        frames = ran(steady(2.0), 2.0, LiveOptions(hair="none", feet=False, face=face))[1]
        values = [frame.face["Blink"] for frame in frames[3:]]
        runs = np.diff(np.flatnonzero(np.diff([-1.0, *values, -1.0])))
        assert runs[1:-1].min() == changes
        assert runs[1:-1].max() == changes


def test_a_file_played_live_is_the_file_delayed_by_nothing_but_the_filter() -> None:
    body = character("girl")
    session, seen = (
        Session(body, LiveOptions(tolerance=0.0, omit_up_to=0, clean=False, feet=False, hair="none")),
        Seen(),
    )
    Loop(session, played("sample:kick", body), [seen], Simulated()).run()
    wanted = komadori.retarget(sample("kick"), body).motion.world_positions()
    made = komadori.Motion(
        body.skeleton, FPS, np.array([f.rotations for f in seen.frames]), np.array([f.positions for f in seen.frames])
    ).world_positions()
    assert len(made) >= len(wanted) - 1
    joints = [joint for role, joint in body.skeleton.roles.items() if role in NUMBER]
    apart = np.linalg.norm(made[: len(wanted), joints] - wanted[: len(made), joints], axis=-1)
    assert apart.max() < 1e-3


def test_standing_feet_stay_in_place_where_the_performer_trembles() -> None:
    body = character("girl")
    rng = np.random.default_rng(2)
    slips = {}
    for kept in (True, False):
        source = played("sample:walk", body)
        poses = source.poses
        shaken = quat.multiply(quat.exp(rng.normal(scale=0.01, size=(*poses.rotations.shape[:2], 3))), poses.rotations)
        session = Session(body, LiveOptions(tolerance=0.0, omit_up_to=0, feet=kept, hair="none"))
        seen = Seen()
        Loop(session, FileSource(replace(poses, rotations=shaken)), [seen], Simulated()).run()
        motion = komadori.Motion(
            body.skeleton,
            FPS,
            np.array([f.rotations for f in seen.frames]),
            np.array([f.positions for f in seen.frames]),
        )
        found = feet.contacts(komadori.retarget(sample("walk"), body).motion[: len(motion)])
        slips[kept] = feet.slippage(motion[: len(found)], found).per_second
    assert slips[True] < 0.6 * slips[False]


def test_hair_swings_and_is_held_with_the_body_or_moves_on() -> None:
    body = character("girl")
    kinds = {}
    for hair in ("drawn", "ones", "none"):
        session, seen = Session(body, LiveOptions(hair=hair)), Seen()
        Loop(session, played("sample:pitch", body), [seen], Simulated()).run(3.0)
        strand = session.character.chains()[0].joints[-2]
        turns_made = np.array([frame.rotations[strand] for frame in seen.frames])
        moved = np.abs(np.diff(turns_made, axis=0)).max(axis=1) > 1e-9
        kinds[hair] = moved
        if hair == "drawn":
            assert not moved[[not frame.new for frame in seen.frames[1:]]].any()
    assert kinds["ones"].mean() > 0.9
    assert 0.2 < kinds["drawn"].mean() < 0.9
    assert not kinds["none"].any()


@pytest.mark.parametrize("name", ["take.glb", "take.bvh", "take.vmd", "take.vrma"])
def test_a_take_is_recorded_with_its_timesheet(name: str, tmp_path: object) -> None:
    body = character("girl")
    session, take = Session(body, LiveOptions(hair="none")), Recording(body, FPS)
    Loop(session, played("sample:pitch", body), [take], Simulated()).run(3.0)
    files = take.saved(f"{tmp_path}/{name}")
    assert len(files) == 2
    sheet = next(iter(komadori.load(files[1], kind="timesheets").values()))
    assert len(sheet) == len(take)
    np.testing.assert_array_equal(sheet.source, take.sheet.source)
    shown = take.motion
    runs = np.flatnonzero(np.abs(np.diff(shown.rotations, axis=0)).max(axis=(1, 2)) > 0) + 1
    np.testing.assert_array_equal(runs, np.unique(sheet.source)[1:])
    again = komadori.load(files[0], kind="motion")
    assert again.duration_s == pytest.approx(len(take) / FPS, abs=2.5 / FPS)
    take.close()


def test_a_performer_acts_an_animal_as_a_clip_does() -> None:
    """The same frames as those of the whole clip, as late as is stated, hooves where they stand."""
    horse = character("horse")
    walk = komadori.retarget(sample("walk", FPS), humanoid()).motion
    options = LiveOptions(clean=False, hair="none", look_ahead=0, max_exposures=1)
    session, seen = Session(horse, options, ActingOptions(stoop=1.5)), Seen()
    Loop(session, performed(walk, horse, "walk"), [seen], Simulated()).run()
    whole = komadori.quadruped(walk, horse, stoop=1.5)
    assert session.look_ahead == QuadrupedStream(walk.skeleton, horse, FPS).look_ahead == 16
    rotations = np.array([frame.rotations for frame in seen.frames])
    positions = np.array([frame.positions for frame in seen.frames])
    assert len(rotations) >= len(walk) - 1
    known = slice(0, len(walk) - session.look_ahead)
    away = quat.multiply(quat.inverse(rotations[known]), whole.motion.rotations[known])
    assert np.degrees(quat.angle(away)).max() < 0.01
    assert np.abs(positions[known] - whole.motion.positions[known]).max() < 1e-4
    assert session.status(1.0).delay_ms >= 1e3 * session.look_ahead / FPS


def test_a_hoof_that_comes_down_is_always_drawn() -> None:
    horse = character("horse")
    session, seen = Session(horse, LiveOptions(clean=False, hair="none", max_exposures=4)), Seen()
    Loop(session, played("sample:walk", horse, loop=True), [seen], Simulated()).run(6.0)
    drawn = [frame.number for frame in seen.frames if frame.new]
    assert 0.2 < len(drawn) / len(seen.frames) < 0.9


@pytest.mark.parametrize("name", ["take.vrma", "take.vmd"])
def test_a_take_holds_the_face(name: str, tmp_path: Path) -> None:
    """A blink and an own expression, held on threes, at the frames in which they were shown."""
    body = character("girl")
    take = Recording(body, FPS)
    session = Session(body, LiveOptions(hair="none", feet=False, face="threes"))
    seen = Seen()
    Loop(session, Network(iter(steady(2.0)), 0.0), [take, seen], Simulated()).run(2.0)
    wanted = np.array([frame.face["Blink"] for frame in seen.frames])
    assert np.ptp(wanted) > 0.1
    assert set(take.face) >= {"blink"}
    np.testing.assert_allclose(take.face["blink"], wanted)
    take.saved(str(tmp_path / name))
    take.close()
    again = komadori.load(tmp_path / name, kind="motion")
    assert again.origin is not None
    document: Any = again.origin.document
    if name.endswith(".vrma"):
        np.testing.assert_allclose(document.expressions["blink"], wanted, atol=1e-6)
    else:
        keys = document.document.morph_tracks["まばたき"]
        shown = np.interp(np.arange(len(again)), keys["frame"], keys["weight"])
        # At 30 frames per second a frame may lie between two of the take, and its face with it.
        step = np.abs(np.diff(wanted)).max()
        np.testing.assert_allclose(shown, wanted[np.arange(len(again)) * 24 // 30], atol=step)
