"""The puppet's half of the studio without a browser: keys, poses, takes, the hand's numbers, and what is saved of them."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori.characters import sample
from komadori.errors import FormatError, KomadoriError, OptionError
from komadori.formats.puppet.reading import parse
from komadori.formats.puppet.writing import emit
from komadori.methods.puppet import puppet_from
from komadori.skeleton import Skeleton
from komadori.studio.desk import Desk
from komadori.studio.hand import JOURNAL_S, Hand
from komadori.studio.messages import (
    Ask,
    Change,
    EditKey,
    EditKeySet,
    EditPose,
    EditSequence,
    EditTake,
    ErrorMessage,
    HandInput,
    HandKind,
    LoadPuppet,
    Open,
    PuppetUpdate,
    Redo,
    Undo,
)
from komadori.studio.parts.puppet import built, performed, take_of
from komadori.studio.parts.puppet_edits import moved
from komadori.studio.saving import Save
from komadori.studio.scene import Entry, PuppetPart, Scene
from komadori.studio.serving import opened
from komadori.studio.shelf import Shelf

from wire import unpacked


class Clock:
    """Seconds that pass when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def message(*numbers: float) -> bytes:
    return np.array(numbers, dtype="<f4").tobytes()


class Table:
    """A desk with a hand on it."""

    def __init__(self, folder: Path) -> None:
        self.desk = Desk(Shelf(folder))
        self.clock = Clock()
        self.news = 0
        self.hand = Hand(self.desk, self.clock, self._changed)
        self.serial = 0

    def _changed(self) -> None:
        self.news += 1

    @property
    def part(self) -> PuppetPart:
        return self.desk.scene.puppet

    def told(self) -> PuppetUpdate:
        found = next(iter(self.desk.teller.answers("puppet", self.desk.revision, self.desk.scene)))
        assert isinstance(found, PuppetUpdate)
        return found

    def feel(self, kind: int, which: int, place: Any, seconds: float = -1.0) -> dict[str, Any]:
        self.serial += 1
        assert self.hand.feel(message(kind, self.serial, which, *place, seconds, 0.0))
        answer = self.hand.answer()
        assert answer is not None
        return unpacked(answer)

    def key(self, place: Any, hand: Any = None) -> None:
        """Poses the right hand and drops a key at `place`, as fingers do."""
        self.feel(HandKind.HANDLE, 0, place)
        if hand is not None:
            self.feel(HandKind.PULL, self.joint("right_hand"), hand, float(self.serial))
        self.hand.keep()
        self.desk.do(EditKey("drop", place=list(place)))

    def joint(self, role: str) -> int:
        skeleton, _ = self.desk.results.puppet(self.desk.scene)
        return int(skeleton.roles[role])

    def take(self, path: Any, fps: float = 60.0, **more: Any) -> None:
        number = 77 + self.serial
        self.desk.do(EditTake("begin", number=number, gesture=f"record {number}", **more))
        for n, place in enumerate(path):
            self.feel(HandKind.HANDLE, number, place, n / fps)
        self.hand.keep()
        self.desk.do(EditTake("finish", number=number, value=(len(path) - 1) / fps, gesture=f"record {number}"))


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


@pytest.fixture
def posed(table: Table) -> Table:
    """Three keys with three poses of the right arm."""
    home = np.array(table.told().home)
    table.key(home, home + np.array([0.2, -0.3, 0.1]))
    table.key(home + np.array([0.0, 0.4, 0.1]), home + np.array([0.25, 0.4, 0.2]))
    table.key(home + np.array([-0.3, 0.1, 0.3]), home + np.array([0.2, 0.1, 0.4]))
    return table


def around(home: Any, count: int = 60) -> np.ndarray[Any, Any]:
    t = np.linspace(0.0, 2.0 * np.pi, count)
    return np.asarray(home) + 0.15 * np.c_[np.sin(t), np.cos(t), 0.3 * np.sin(2 * t)]


# --- keys and poses


def test_before_any_key_the_body_is_at_rest_wherever_the_handle_is(table: Table) -> None:
    skeleton, puppet = table.desk.results.puppet(table.desk.scene)
    assert puppet is None
    for place in ([0, 0, 0], [1, 2, 3]):
        answer = table.feel(HandKind.HANDLE, 0, place)
        np.testing.assert_allclose(answer["rotations"], skeleton.rest, atol=1e-6)
        assert answer["defined"] == 1.0


def test_the_handle_begins_near_the_right_hand_but_not_on_it(table: Table) -> None:
    skeleton, _ = table.desk.results.puppet(table.desk.scene)
    places = table.desk.results.stage.ready(
        table.desk.scene.motion, table.desk.scene.character
    ).character.rest.world_positions()[0]
    far = np.linalg.norm(places[skeleton.roles["right_hand"]] - table.told().home)
    assert 0.1 < far < 0.4


def test_at_a_key_the_body_stands_in_its_pose(posed: Table) -> None:
    for key in posed.part.keys:
        answer = posed.feel(HandKind.HANDLE, 0, key.place)
        same = np.abs((answer["rotations"] * np.reshape(key.pose.rotations, (-1, 4))).sum(axis=1))
        np.testing.assert_allclose(same, 1.0, atol=1e-5)


def test_a_dragged_hand_comes_to_the_pointer_and_the_pose_stays_in_the_hand_until_it_is_a_key(table: Table) -> None:
    home = np.array(table.told().home)
    table.key(home)
    goal = home + np.array([0.25, -0.3, 0.15])
    table.feel(HandKind.PULL, table.joint("right_hand"), goal, 1.0)
    table.hand.keep()
    assert table.part.posed is not None
    # The handle goes elsewhere: what the fingers made is not blown away by it.
    elsewhere = home + np.array([0.0, 0.5, 0.0])
    held = table.feel(HandKind.HANDLE, 0, elsewhere)
    np.testing.assert_allclose(held["rotations"].ravel(), table.part.posed.rotations, atol=1e-5)
    table.desk.do(EditKey("drop", place=elsewhere.tolist()))
    assert table.part.posed is None
    assert [key.name for key in table.part.keys] == ["key 1", "key 2"]


def test_one_drag_is_one_step_back_however_long_it_was(table: Table) -> None:
    home = np.array(table.told().home)
    for n in range(30):
        table.clock.now += 0.1
        table.feel(HandKind.PULL, table.joint("right_hand"), home + np.array([0.01 * n, -0.01 * n, 0]), 5.0)
    table.hand.keep()
    assert table.news > 3
    assert len(table.desk.history.past) == 1
    table.desk.do(Undo())
    assert table.part.posed is None


def test_a_drag_depends_on_where_the_hand_is_not_on_how_it_came_there(table: Table, tmp_path: Path) -> None:
    home = np.array(table.told().home)
    goal = home + np.array([0.3, -0.2, 0.1])
    for n in range(20):
        table.feel(
            HandKind.PULL, table.joint("right_hand"), home + np.array([0.1 * np.sin(n), 0.1 * np.cos(n), 0]), 1.0
        )
    wandered = table.feel(HandKind.PULL, table.joint("right_hand"), goal, 1.0)
    straight = Table(tmp_path / "other").feel(HandKind.PULL, table.joint("right_hand"), goal, 1.0)
    np.testing.assert_array_equal(wandered["rotations"], straight["rotations"])


def test_what_the_hand_did_last_counts_before_anything_that_is_asked_after_it(table: Table) -> None:
    # The pose was not yet told when the key was dropped: the key must have it all the same, and undo must take the key.
    home = np.array(table.told().home)
    goal = home + np.array([0.3, -0.2, 0.1])
    table.hand.feel(message(HandKind.PULL, 1, table.joint("right_hand"), *goal, 1.0, 0.0))
    table.hand.keep()
    table.desk.do(EditKey("drop", place=home.tolist()))
    told = table.hand.answer()
    assert told is not None
    np.testing.assert_allclose(unpacked(told)["rotations"].ravel(), table.part.keys[0].pose.rotations, atol=1e-6)
    table.hand.keep()
    table.desk.do(Undo())
    assert table.part.keys == []
    assert table.part.posed is not None


def test_a_key_dropped_on_a_key_gives_it_the_new_pose(posed: Table) -> None:
    place = posed.part.keys[0].place
    posed.feel(HandKind.HANDLE, 0, place)
    posed.feel(HandKind.PULL, posed.joint("left_hand"), [0.4, 0.8, 0.2], 9.0)
    posed.hand.keep()
    pose = posed.part.posed
    posed.desk.do(EditKey("drop", place=place))
    assert len(posed.part.keys) == 3
    assert posed.part.keys[0].pose == pose


def test_a_joint_is_turned_by_itself(posed: Table) -> None:
    skeleton, _ = posed.desk.results.puppet(posed.desk.scene)
    joint, place = posed.joint("head"), posed.part.keys[1].place
    before = posed.feel(HandKind.HANDLE, 0, place)
    posed.desk.do(EditPose("turn", place, joint=joint, rotation=[0.0, 2.0, 0.0, 2.0]))
    after = posed.feel(HandKind.HANDLE, 0, place)
    np.testing.assert_allclose(after["rotations"][joint], [0, 0.5**0.5, 0, 0.5**0.5], atol=1e-6)
    others = np.arange(len(skeleton)) != joint
    np.testing.assert_allclose(after["rotations"][others], before["rotations"][others], atol=1e-6)
    posed.desk.do(EditPose("release", place))
    np.testing.assert_allclose(posed.feel(HandKind.HANDLE, 0, place)["rotations"], before["rotations"], atol=1e-6)


def test_a_pose_can_be_taken_from_the_clip(table: Table) -> None:
    motion = table.desk.results.stage.ready(table.desk.scene.motion, table.desk.scene.character).motion
    table.desk.do(EditPose("clip", [0, 0, 0], frame=30))
    assert table.part.posed is not None
    np.testing.assert_allclose(np.reshape(table.part.posed.rotations, (-1, 4)), motion.rotations[30], atol=1e-6)
    assert table.part.posed.positions[0] == table.part.posed.positions[2] == 0.0


REFUSED: list[Callable[[], Any]] = [
    lambda: EditKey("drop"),
    lambda: EditKey("drop", place=[float("nan"), 0, 0]),
    lambda: EditKey("drop", place=[1e30, 0, 0]),
    lambda: EditKey("move", name="nobody", place=[0, 0, 0]),
    lambda: EditKey("rename", name="key 1", to="key 2"),
    lambda: EditKey("rename", name="key 1", to="   "),
    lambda: EditKey("delete", name=""),
    lambda: EditPose("turn", [0, 0, 0], joint=-1, rotation=[0, 0, 0, 1]),
    lambda: EditPose("turn", [0, 0, 0], joint=9999, rotation=[0, 0, 0, 1]),
    lambda: EditPose("turn", [0, 0, 0], joint=1, rotation=[0, 0, 0, 0]),
    lambda: EditPose("turn", [0, 0, 0], joint=1),
    lambda: EditPose("clip", [0, 0, 0], frame=-1),
    lambda: EditTake("begin", number=3, name="nobody"),
    lambda: EditTake("show", name="nobody"),
    lambda: EditTake("smooth", name="nobody", value=0.1),
    lambda: EditTake("lasting", name="take 1", value=-1.0),
    lambda: EditTake("lasting", name="take 1", value=1e-9),
    lambda: EditTake("smooth", name="take 1", value=0.0),
    lambda: EditTake("rename", name="take 1"),
    lambda: EditSequence([Entry("nobody")]),
    lambda: LoadPuppet("x.json", "{}"),
    lambda: LoadPuppet("x.json", '{"komadori": "puppet", "version": 1, "keys": []}'),
    lambda: LoadPuppet("x.json", "\ud800"),
    lambda: Change("puppet", {"kernel": "nonsense"}),
    lambda: Change("puppet", {"nonsense": 1}),
]


@pytest.mark.parametrize("make", REFUSED)
def test_what_cannot_be_is_refused_and_changes_nothing(posed: Table, make: Callable[[], Ask]) -> None:
    posed.take(around(posed.told().home))
    before = posed.desk.scene
    with pytest.raises(KomadoriError):
        posed.desk.do(make())
    assert posed.desk.scene == before


# --- takes


def test_what_the_hand_did_becomes_a_take_that_is_performed(posed: Table) -> None:
    path = around(posed.told().home)
    posed.take(path)
    (take,) = posed.part.takes
    np.testing.assert_allclose(np.reshape(take.path, (-1, 3)), path, atol=2e-5)
    np.testing.assert_allclose(take.times, np.arange(60) / 60.0, atol=2e-4)
    told = posed.told()
    data = posed.desk.teller.offers.get(told.motion.rsplit("/", 1)[-1])
    assert data is not None
    sent = unpacked(data)
    _, puppet = posed.desk.results.puppet(posed.desk.scene)
    assert puppet is not None
    motion = puppet.perform(take_of(take), 24.0)
    np.testing.assert_allclose(sent["rotations"], motion.rotations, atol=1e-5)
    np.testing.assert_allclose(sent["handle"], take_of(take).sampled(24.0), atol=1e-5)


def test_a_take_is_one_step_back(posed: Table) -> None:
    before, steps = posed.desk.scene, len(posed.desk.history.past)
    posed.take(around(posed.told().home))
    assert len(posed.desk.history.past) == steps + 1
    posed.desk.do(Undo())
    assert posed.desk.scene == before
    posed.desk.do(Redo())
    assert len(posed.part.takes) == 1


def test_a_hand_that_rests_holds_the_pose(posed: Table) -> None:
    home = np.array(posed.told().home)
    posed.desk.do(EditTake("begin", number=5, gesture="record 5"))
    for seconds, place in ((0.0, home), (0.1, home + np.array([0, 0.1, 0])), (2.0, home + np.array([0, 0.2, 0]))):
        posed.feel(HandKind.HANDLE, 5, place, seconds)
    posed.hand.keep()
    posed.desk.do(EditTake("finish", number=5, value=3.0, gesture="record 5"))
    take = take_of(posed.part.takes[0])
    np.testing.assert_allclose(take.at([1.9])[0], home + np.array([0, 0.1, 0]), atol=1e-4)
    np.testing.assert_allclose(take.at([2.5])[0], home + np.array([0, 0.2, 0]), atol=1e-4)
    assert take.seconds == pytest.approx(3.0)


def test_takes_are_slowed_smoothed_retimed_renamed_sequenced_and_deleted(posed: Table) -> None:
    home = posed.told().home
    posed.take(around(home))
    posed.take(around(home, 40))
    do = posed.desk.do
    do(EditTake("lasting", name="take 1", value=4.0))
    assert take_of(posed.part.takes[0]).seconds == pytest.approx(4.0, abs=1e-3)
    length = take_of(posed.part.takes[0]).length
    do(EditTake("smooth", name="take 1", value=0.3))
    assert take_of(posed.part.takes[0]).length < length
    shape = take_of(posed.part.takes[0]).along([0.5])
    posed.take(np.linspace(home, np.add(home, [1, 0, 0]), 30), name="take 1")
    assert len(posed.part.takes) == 2
    assert take_of(posed.part.takes[0]).seconds == pytest.approx(29 / 60, abs=1e-3)
    np.testing.assert_allclose(take_of(posed.part.takes[0]).along([0.5]), shape, atol=0.02)
    do(EditSequence([Entry("take 1"), Entry("take 2", 0.2), Entry("take 1")]))
    _, puppet = posed.desk.results.puppet(posed.desk.scene)
    assert puppet is not None
    motion, handle = performed(posed.part, puppet.skeleton, 24.0)
    assert handle is None
    assert len(motion) > len(
        performed(msgspec.structs.replace(posed.part, shown="take:take 2"), puppet.skeleton, 24.0)[0]
    )
    do(EditTake("rename", name="take 1", to="swing"))
    assert [entry.take for entry in posed.part.sequence] == ["swing", "take 2", "swing"]
    do(EditTake("delete", name="swing"))
    assert [entry.take for entry in posed.part.sequence] == ["take 2"]


def test_looking_at_a_take_is_nothing_to_take_back(posed: Table) -> None:
    posed.take(around(posed.told().home))
    posed.take(around(posed.told().home))
    steps = len(posed.desk.history.past)
    posed.desk.do(EditTake("show", name="take 1"))
    assert posed.part.shown == "take:take 1"
    assert len(posed.desk.history.past) == steps


def test_what_is_recorded_is_in_the_scene_before_the_second_is_over(posed: Table) -> None:
    posed.desk.do(EditTake("begin", number=5, gesture="record 5"))
    for n, place in enumerate(around(posed.told().home, 120)):
        posed.clock.now += 1 / 60
        posed.feel(HandKind.HANDLE, 5, place, n / 60)
        recording = posed.part.recording
        assert recording is not None
        last = recording.times[-1] if recording.times else 0.0
        assert n / 60 - last < JOURNAL_S + 2 / 60


def test_a_cut_off_recording_is_a_take_when_the_scene_is_opened_again(posed: Table, tmp_path: Path) -> None:
    posed.desk.do(EditTake("begin", number=5, gesture="record 5"))
    path = around(posed.told().home)
    for n, place in enumerate(path):
        posed.feel(HandKind.HANDLE, 5, place, n / 60)
    posed.hand.keep()
    save = Save(tmp_path / "project")
    save.write(posed.desk.scene)
    scene, note = save.read()
    assert note is None
    again = Desk(Shelf(tmp_path / "files"), scene)
    (take,) = again.scene.puppet.takes
    assert again.scene.puppet.recording is None
    assert again.scene.puppet.keys == posed.part.keys
    np.testing.assert_allclose(np.reshape(take.path, (-1, 3)), path, atol=2e-5)


def test_a_page_that_goes_leaves_its_take(posed: Table) -> None:
    posed.desk.do(EditTake("begin", number=5, gesture="record 5"))
    for n, place in enumerate(around(posed.told().home)):
        posed.feel(HandKind.HANDLE, 5, place, n / 60)
    posed.hand.leave()
    assert len(posed.part.takes) == 1
    assert posed.part.recording is None


def test_a_slip_of_the_hand_is_no_take(posed: Table) -> None:
    posed.take(around(posed.told().home)[:2])
    assert posed.part.takes == []
    assert posed.part.recording is None


def test_another_pages_hand_does_not_write_into_this_recording(posed: Table) -> None:
    posed.desk.do(EditTake("begin", number=5, gesture="record 5"))
    other = Hand(posed.desk, posed.clock, lambda: None)
    assert other.feel(message(HandKind.HANDLE, 1, 6, 0, 0, 0, 0.5, 0.0))
    other.keep()
    assert posed.part.recording is not None
    assert posed.part.recording.times == []


# --- the hand's numbers


@given(st.binary(max_size=40))
def test_bytes_that_are_no_message_are_none(data: bytes) -> None:
    felt = HandInput.read(data)
    assert felt is None or np.isfinite(felt.place).all()


@given(st.lists(st.floats(width=32, allow_nan=True, allow_infinity=True), min_size=8, max_size=8))
@settings(max_examples=150, deadline=None)
def test_no_numbers_can_bring_the_hand_down(numbers: list[float]) -> None:
    if SHARED.hand.feel(message(*numbers)):
        answer = SHARED.hand.answer()
        assert answer is None or np.isfinite(unpacked(answer)["rotations"]).all()


SHARED = Table(Path("nowhere"))


# --- options, other bodies, files


def test_a_grip_holds_the_hand_at_the_handle(posed: Table) -> None:
    posed.desk.do(Change("puppet", {"ik": "right_hand"}))
    skeleton, puppet = posed.desk.results.puppet(posed.desk.scene)
    assert puppet is not None
    shoulder = puppet.perform([posed.part.keys[0].place]).world_positions()[0, skeleton.roles["right_upper_arm"]]
    place = shoulder + np.array([-0.2, -0.1, 0.2])
    motion = puppet.perform(place[None])
    assert np.linalg.norm(motion.world_positions()[0, skeleton.roles["right_hand"]] - place) < 2e-3


def test_on_the_ground_the_body_travels_as_far_as_the_handle_goes_back(posed: Table) -> None:
    posed.desk.do(Change("puppet", {"walks": True}))
    posed.feel(HandKind.HANDLE, 0, [0.0, 0.0, 0.3])
    answer = posed.feel(HandKind.HANDLE, 0, [0.1, 0.0, -0.2])
    np.testing.assert_allclose(answer["travel"], [-0.1, 0.5], atol=1e-6)
    lifted = posed.feel(HandKind.HANDLE, 0, [0.1, 0.5, 0.4])
    np.testing.assert_allclose(lifted["travel"], [-0.1, 0.5], atol=1e-6)


def test_a_foot_in_the_air_leaves_the_body_on_the_other(table: Table) -> None:
    puppet = puppet_from(sample("walk"), [14, 20, 27, 34], "left_foot", ground=0.0)
    table.desk.do(LoadPuppet("walk.json", emit(puppet).decode()))
    _, made = table.desk.results.puppet(table.desk.scene)
    assert made is not None
    # From behind through the air to the front: the right foot stands, and the body goes over it.
    path = np.linspace(made.keys[3].position, made.keys[0].position, 8)
    travels = [table.feel(HandKind.HANDLE, 0, place.tolist())["travel"] for place in path]
    performed = made.travelled(path, made.poses(path)).sum(axis=0)
    assert travels[-1][1] > 0.05
    np.testing.assert_allclose(travels[-1], performed, atol=1e-6)


def test_keys_and_takes_move_to_another_body_and_back_with_undo(posed: Table) -> None:
    posed.take(around(posed.told().home))
    before = posed.part
    ask = Open(character="character:mannequin")
    posed.desk.prepare(ask)
    posed.desk.do(ask)
    skeleton, puppet = posed.desk.results.puppet(posed.desk.scene)
    assert puppet is not None
    assert len(puppet.keys) == 3
    assert len(puppet.keys[0].pose.rotations) == len(skeleton)
    assert posed.told().motion
    posed.desk.do(Undo())
    assert posed.part == before


def test_a_puppets_file_comes_back_as_it_went(posed: Table, tmp_path: Path) -> None:
    posed.desk.do(Change("puppet", {"kernel": "cubic", "walks": True}))
    address = posed.told().file
    data = posed.desk.teller.offers.get(address.rsplit("/", 1)[-1])
    assert data is not None
    assert len(parse(data, "x").keys) == 3
    other = Table(tmp_path / "other")
    other.desk.do(LoadPuppet("mine.json", data.decode()))
    assert other.part.options["kernel"] == "cubic"
    skeleton, _ = posed.desk.results.puppet(posed.desk.scene)
    mine, theirs = built(posed.part, skeleton), built(other.part, skeleton)
    place = [-0.5, 1.4, 0.2]
    np.testing.assert_allclose(mine.pose(place).rotations, theirs.pose(place).rotations, atol=1e-5)


def test_a_damaged_puppets_file_is_one_clear_line(table: Table) -> None:
    with pytest.raises(FormatError, match=r"broken\.json"):
        table.desk.do(LoadPuppet("broken.json", '{"komadori": "puppet"'))


def test_keys_that_are_no_walk_say_so(posed: Table) -> None:
    posed.desk.do(Change("puppet", {"walks": True}))
    assert posed.told().can_walk
    posed.desk.do(EditTake("show", what="walk"))
    told, trouble = posed.desk.teller.answers("puppet", posed.desk.revision, posed.desk.scene)
    assert isinstance(told, PuppetUpdate)
    assert told.motion == ""
    assert isinstance(trouble, ErrorMessage)
    assert "walk" in trouble.message


def test_a_walk_of_four_keys_is_played(table: Table) -> None:
    data = emit(puppet_from(sample("walk"), [14, 20, 27, 34], "left_foot", ground=0.0))
    table.desk.do(LoadPuppet("walk.json", data.decode()))
    assert table.part.options["walks"] is True
    table.desk.do(EditTake("show", what="walk"))
    told = table.told()
    assert told.can_walk
    sent = table.desk.teller.offers.get(told.motion.rsplit("/", 1)[-1])
    assert sent is not None
    root = unpacked(sent)["positions"][:, 0]
    assert np.linalg.norm(root[-1] - root[0]) == pytest.approx(1.2 * 4.0, rel=0.05)


@pytest.mark.parametrize(
    "change",
    [
        {"keys": [{"name": "", "place": [0, 0, 0], "pose": {"rotations": [], "positions": []}}]},
        {"keys": [{"name": "a", "place": [0, 0], "pose": {"rotations": [], "positions": []}}]},
        {"takes": [{"name": "a", "path": "x", "times": []}]},
        {"posed": 3},
    ],
)
def test_a_scene_whose_puppet_is_damaged_is_kept_aside(tmp_path: Path, change: dict[str, Any]) -> None:
    scene = json.loads(msgspec.json.encode(Scene()))
    scene["puppet"].update(change)
    (tmp_path / "scene.json").write_text(json.dumps(scene), "utf-8")
    found, note = Save(tmp_path).read()
    assert found is None
    assert "damaged" in str(note)


def test_keys_of_an_unknown_body_are_told_not_lost(posed: Table) -> None:
    odd = msgspec.structs.replace(posed.part.keys[0].pose, rotations=[0.0, 0.0, 0.0, 1.0], positions=[0.0, 0.0, 0.0])
    key = msgspec.structs.replace(posed.part.keys[0], pose=odd)
    part = msgspec.structs.replace(posed.part, keys=[key])
    desk = Desk(posed.desk.shelf, msgspec.structs.replace(posed.desk.scene, puppet=part))
    with pytest.raises(OptionError, match="another body"):
        list(desk.teller.answers("puppet", 0, desk.scene))
    hand = Hand(desk, posed.clock, lambda: None)
    assert hand.feel(message(HandKind.HANDLE, 1, 0, 0, 1, 0, -1, 0))
    assert hand.answer() is None
    assert len(desk.scene.puppet.keys) == 1


def test_keys_of_a_body_that_roles_do_not_match_wait_until_it_is_back(posed: Table) -> None:
    """A skeleton without legs or arms takes the stage: its puppet has keys of its own, and the person's are not lost."""
    desk = posed.desk
    name, kept = posed.part.set, posed.part.keys
    assert kept
    names = tuple(f"joint {n}" for n in range(3))
    odd = Skeleton(names, np.array([-1, 0, 1]), np.array([[0.0, 0.5, 0.0], [0.0, 0.5, 0.0], [0.0, 0.5, 0.0]]))
    person = desk.results.skeleton(desk.scene)
    away = moved(desk.scene, person, odd)
    assert away.puppet.keys == []
    assert away.puppet.set != name
    assert [one.keys for one in away.puppet.sets] == [kept]
    back = moved(away, odd, person)
    assert (back.puppet.set, back.puppet.keys) == (name, kept)


def test_small_messages_leave_at_once(tmp_path: Path) -> None:
    """Poses are small: held back until the page's echo (Nagle's algorithm) they came 40 ms late."""
    studio = opened(project=tmp_path)

    async def accepted() -> int:
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        class Meeting(asyncio.Protocol):
            def connection_made(self, transport: Any) -> None:
                met = transport.get_extra_info("socket")
                done.set_result(met.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
                transport.close()

        server = await asyncio.get_running_loop().create_server(Meeting, sock=studio.socket)
        with socket.create_connection(("127.0.0.1", studio.port)):
            found = await done
        server.close()
        await server.wait_closed()
        return found

    try:
        # In its own thread: the one of this test may have a loop already, where a browser was open before.
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(asyncio.run, accepted()).result() != 0
    finally:
        studio.close()


def shown(table: Table) -> Any:
    """Rotations of what the timeline plays."""
    scene = table.desk.scene
    return performed(scene.puppet, table.desk.results.skeleton(scene), scene.fps)[0].rotations


def test_takes_are_performed_with_the_keys_they_were_recorded_with(posed: Table) -> None:
    """Another puppet's file, other keys and another key set leave what an old take shows as it is."""
    desk = posed.desk
    posed.take(around(posed.told().home))
    before = shown(posed)
    puppet = desk.results.puppet(desk.scene)[1]
    assert puppet is not None
    desk.do(LoadPuppet("other.json", emit(puppet).decode()))
    assert posed.part.set == "other"
    assert [one.name for one in posed.part.sets] == ["keys 1"]
    place = posed.part.keys[0].place
    desk.do(EditPose("rest", place))
    desk.do(EditKey("drop", place=place))
    np.testing.assert_array_equal(shown(posed), before)
    desk.do(EditKeySet("new"))
    assert posed.part.keys == []
    np.testing.assert_array_equal(shown(posed), before)
    assert posed.told().motion
    with pytest.raises(OptionError, match="takes are performed with the key set keys 1"):
        desk.do(EditKeySet("delete", "keys 1"))
    desk.do(EditKeySet("rename", "keys 1", "waving"))
    assert posed.part.takes[0].keys == "waving"
    np.testing.assert_array_equal(shown(posed), before)
    desk.do(EditKeySet("pick", "waving"))
    assert len(posed.part.keys) == 3
    desk.do(EditKeySet("delete", "other"))
    assert [one.name for one in posed.part.sets] == ["keys 2"]


def test_takes_of_several_key_sets_are_played_in_one_sequence(posed: Table) -> None:
    posed.take(around(posed.told().home))
    posed.desk.do(EditKeySet("new"))
    home = np.array(posed.told().home)
    for place in around(home)[::20]:
        posed.key(place, place + np.array([0.2, -0.1, 0.1]))
    posed.take(around(posed.told().home)[::-1])
    posed.desk.do(EditSequence([Entry("take 1"), Entry("take 2")]))
    assert [take.keys for take in posed.part.takes] == ["keys 1", "keys 2"]
    assert len(shown(posed)) > 30


def test_every_key_set_goes_to_another_body(posed: Table) -> None:
    posed.take(around(posed.told().home))
    posed.desk.do(EditKeySet("new"))
    for name in ("mannequin", "girl"):
        posed.desk.do(Open(character=f"character:{name}"))
        assert len(shown(posed)) > 2
