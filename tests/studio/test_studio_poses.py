"""Key poses that are redrawn by hand, the view in which steps count, and the puppet's feet: the desk's side of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from test_studio_puppet import Clock, message

import komadori
from komadori.camera import Camera
from komadori.characters import character
from komadori.errors import OptionError
from komadori.feet import contacts, slippage
from komadori.formats import load
from komadori.motion import Motion
from komadori.studio.checking import sound
from komadori.studio.desk import Desk
from komadori.studio.exporting import exported
from komadori.studio.hand import Hand
from komadori.studio.messages import (
    Change,
    EditKey,
    EditKeyPose,
    EditPose,
    EditShot,
    EditTake,
    Export,
    HandKind,
    KeyposesUpdate,
    MethodUpdate,
    Open,
    Redo,
    Undo,
)
from komadori.studio.parts.puppet import performed
from komadori.studio.recipe import recipe_of
from komadori.studio.scene import PosedBody, PosedFrame, Scene
from komadori.studio.shelf import Shelf
from komadori.studio.shot import Shot, View
from komadori.studio.undoing import difference

from staging import staged_sample
from wire import unpacked

GIRL = character("girl").skeleton
HAND = GIRL.roles["left_hand"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(Shelf(tmp_path / "files"))


@pytest.fixture(scope="module")
def placed() -> Motion:
    return staged_sample("pitch")


def do(desk: Desk, ask: Any) -> None:
    desk.prepare(ask)
    desk.do(ask)


def told(desk: Desk, part: str = "keyposes") -> MethodUpdate:
    answer = next(iter(desk.teller.answers(part, desk.revision, desk.scene)))
    assert isinstance(answer, MethodUpdate)
    return answer


def keys(desk: Desk) -> list[int]:
    _, evidence = desk.teller.answers("keyposes", desk.revision, desk.scene)
    assert isinstance(evidence, KeyposesUpdate)
    return evidence.frames


def raise_hand(desk: Desk, frame: int, number: float = 1.0) -> np.ndarray:
    """Drags the left hand of a key pose 20 cm up, as the page does it; where it was drawn to."""
    motion = desk.results.staged(desk.scene).motion
    goal = motion.world_positions()[frame, HAND] + [0.0, 0.2, 0.0]
    hand = Hand(desk, Clock(), lambda: None)
    for share in (0.5, 1.0):
        place = goal - [0.0, 0.2 * (1.0 - share), 0.0]
        assert hand.feel(message(HandKind.KEY, 1, HAND, *place, number, frame))
        assert hand.answer() is not None
    hand.keep()
    return goal


def shown(desk: Desk) -> np.ndarray:
    """What the stage shows of key poses: rotations (F, J, 4)."""
    answer = told(desk)
    name = answer.motion.removeprefix("api/offer/")
    data = desk.teller.offers.get(name)
    assert data is not None
    return np.asarray(unpacked(data)["rotations"])


def test_only_the_frames_that_show_the_key_change(desk: Desk, placed: Motion) -> None:
    frame = keys(desk)[3]
    assert told(desk).motion == "", "the sheet tells it"
    before = placed.retimed(desk.results.sheet(desk.scene, "keyposes").sheet)
    goal = raise_hand(desk, frame)
    source = np.array(told(desk).source)
    changed = np.abs(shown(desk) - before.rotations).max(axis=(1, 2)) > 1e-5
    np.testing.assert_array_equal(changed, source == frame)
    made = desk.results.clip(desk.scene, "keyposes")
    reached = made.world_positions()[frame, HAND]
    assert np.linalg.norm(reached - goal) < 0.02
    # The joints that nobody touched have the very numbers of the clip.
    legs = [GIRL.roles[f"{side}_{part}"] for side in ("left", "right") for part in ("upper_leg", "lower_leg")]
    np.testing.assert_array_equal(made.rotations[frame, legs], placed.rotations[frame, legs])


def test_an_edit_survives_other_numbers_of_keys_where_its_key_does(desk: Desk) -> None:
    do(desk, Change("keyposes", {"count": 12}))
    many = keys(desk)
    do(desk, Change("keyposes", {"count": 4}))
    few = keys(desk)
    stays, goes = few[1], next(frame for frame in many if frame not in few)
    do(desk, Change("keyposes", {"count": 12}))
    raise_hand(desk, stays, 1.0)
    raise_hand(desk, goes, 2.0)
    with_both = shown(desk)
    do(desk, Change("keyposes", {"count": 4}))
    clip = desk.results.clip(desk.scene, "keyposes")
    source = np.array(told(desk).source)
    np.testing.assert_allclose(np.abs(shown(desk)), np.abs(clip.rotations[source]), atol=1e-6)
    assert goes not in source
    assert stays in source
    do(desk, Change("keyposes", {"count": 12}))
    np.testing.assert_array_equal(shown(desk), with_both)


def test_what_was_drawn_anew_is_exported(desk: Desk, tmp_path: Path) -> None:
    frame = keys(desk)[2]
    raise_hand(desk, frame)
    scene = desk.scene
    drawn = desk.results.clip(scene, "keyposes").world_positions()[frame, HAND]
    assert np.linalg.norm(drawn - desk.results.staged(scene).motion.world_positions()[frame, HAND]) > 0.1
    first = told(desk).source.index(frame)
    for suffix in (".bvh", ".glb"):
        file = exported(desk, scene, Export("keyposes", "motion", suffix), lambda done, total: None)
        path = tmp_path / file.name
        path.write_bytes(file.data)
        motion = load(path, kind="motion")
        joint = motion.skeleton.names.index(GIRL.names[HAND])
        assert np.linalg.norm(motion.world_positions()[first, joint] - drawn) < 1e-3
    _, notes = recipe_of(scene, "keyposes")
    assert "poses were redrawn by hand" in str(notes[0])


def test_a_pose_is_mirrored_turned_undone_and_given_back(desk: Desk, placed: Motion) -> None:
    frame = keys(desk)[1]
    do(desk, EditKeyPose("keyposes", "mirror", frame))
    before = desk.scene
    assert [one.frame for one in before.poses("keyposes")] == [frame]
    assert difference(Scene(), before) == ("keyposes", "a key pose")
    desk.do(Undo())
    assert desk.scene.poses("keyposes") == []
    desk.do(Redo())
    do(desk, EditKeyPose("keyposes", "turn", frame, joint=HAND, rotation=[0.0, 0.0, 1.0, 0.0]))
    turned = desk.results.clip(desk.scene, "keyposes").rotations[frame, HAND]
    np.testing.assert_allclose(np.abs(turned), [0.0, 0.0, 1.0, 0.0], atol=1e-6)
    do(desk, EditKeyPose("keyposes", "reset", frame))
    assert desk.scene.poses("keyposes") == []
    assert desk.results.clip(desk.scene, "keyposes") is desk.results.staged(desk.scene).motion


def test_one_drag_of_a_key_pose_is_one_step_back(desk: Desk) -> None:
    frame = keys(desk)[1]
    raise_hand(desk, frame)
    desk.do(Undo())
    assert desk.scene.poses("keyposes") == []


@pytest.mark.parametrize(
    "ask",
    [
        EditKeyPose("keyposes", "mirror", 10_000),
        EditKeyPose("keyposes", "turn", 3, joint=-1, rotation=[0.0, 0.0, 0.0, 1.0]),
        EditKeyPose("keyposes", "turn", 3, joint=2, rotation=[0.0, 0.0, 0.0, 0.0]),
        EditKeyPose("nothing", "mirror", 3),
    ],
)
def test_what_cannot_be_drawn_is_refused(desk: Desk, ask: EditKeyPose) -> None:
    before = desk.scene
    with pytest.raises(OptionError):
        do(desk, ask)
    assert desk.scene == before


def test_poses_belong_to_a_clip_and_a_body(desk: Desk) -> None:
    do(desk, EditKeyPose("keyposes", "mirror", 3))
    do(desk, Open(character="character:mannequin"))
    assert desk.scene.poses("keyposes") == []
    desk.do(Undo())
    do(desk, Open(motion="sample:walk"))
    assert desk.scene.poses("keyposes") == []


def test_a_damaged_pose_is_set_aside_alone(desk: Desk) -> None:
    do(desk, EditKeyPose("keyposes", "mirror", 3))
    (good,) = desk.scene.poses("keyposes")
    bad = PosedFrame(5, PosedBody([0.0, 0.0], [1.0]))
    kept, lost = sound(desk.scene.with_part("keyposes", poses=[good, bad]))
    assert kept.poses("keyposes") == [good]
    assert lost == ["keyposes.poses"]
    assert msgspec.json.decode(msgspec.json.encode(kept), type=Scene) == kept


VIEW = View((1.0, 1.4, 3.0), (0.0, 0.9, 0.0), 30.0)


@pytest.mark.parametrize("follows", [False, True])
def test_limited_animation_is_measured_in_the_view_of_the_stage(desk: Desk, placed: Motion, follows: bool) -> None:
    view = msgspec.structs.replace(VIEW, follows=follows)
    do(desk, EditShot(Shot(view=view), ["view"]))
    way = placed.world_positions()[:, GIRL.roles["hips"]] * [1.0, 0.0, 1.0] if follows else np.zeros(3)
    camera = Camera(np.array(view.eye) + way, np.array(view.target) + way, fov_deg=30.0)
    wanted = komadori.limited(placed, camera=camera)
    assert told(desk, "limited").source == wanted.sheet.source.tolist()
    assert wanted.sheet.source.tolist() != komadori.limited(placed).sheet.source.tolist()
    _, notes = recipe_of(desk.scene, "limited")
    assert "measured in a view" in str(notes[0])
    assert difference(Scene(), desk.scene) == ("", "the view that counts")


def test_the_puppets_pose_is_mirrored_in_hand(desk: Desk) -> None:
    do(desk, EditPose("clip", [0.0, 1.0, 0.0], frame=74))
    before = desk.scene.puppet.posed
    do(desk, EditPose("mirror", [0.0, 1.0, 0.0]))
    assert desk.scene.puppet.posed != before
    do(desk, EditPose("mirror", [0.0, 1.0, 0.0]))
    assert before is not None
    assert desk.scene.puppet.posed is not None
    np.testing.assert_allclose(np.abs(desk.scene.puppet.posed.rotations), np.abs(before.rotations), atol=1e-4)


def test_the_puppets_standing_feet_are_planted_where_that_is_asked(desk: Desk) -> None:
    """Two poses of a walk, a foot of each elsewhere: between them both feet slide, unless they are planted."""
    walk = "sample:walk"
    do(desk, Open(motion=walk))
    for number, frame in enumerate((0, 2, 4, 6)):
        do(desk, EditPose("clip", [0.0, 1.0, 0.1 * number], frame=frame))
        do(desk, EditKey("drop", place=[0.0, 1.0, 0.1 * number]))
    desk.do(EditTake("begin", number=7, gesture="record 7"))
    hand = Hand(desk, Clock(), lambda: None)
    for n in range(40):
        hand.feel(message(HandKind.HANDLE, n + 1, 7, 0.0, 1.0, 0.3 * n / 39, n / 20.0, 0.0))
        hand.answer()
    hand.keep()
    desk.do(EditTake("finish", number=7, value=2.0, gesture="record 7"))
    skeleton = desk.results.skeleton(desk.scene)
    free, _ = performed(desk.scene.puppet, skeleton, 24.0)
    do(desk, Change("puppet", {"plant_feet": True}))
    planted, _ = performed(desk.scene.puppet, skeleton, 24.0)
    stands = contacts(free)
    assert slippage(planted, stands).per_second < 0.5 * slippage(free, stands).per_second
