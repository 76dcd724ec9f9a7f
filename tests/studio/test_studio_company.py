"""Several characters on the puppet's handle in the studio, without a browser: their poses, what is played, and what is exported."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

import komadori
from komadori.character import Character
from komadori.characters import character, sample
from komadori.errors import OptionError
from komadori.formats import encoded
from komadori.formats.puppet.writing import emit
from komadori.methods.puppet import puppet_from
from komadori.methods.puppet.transfer import growth
from komadori.studio.desk import Desk
from komadori.studio.exporting import exported
from komadori.studio.hand import Hand
from komadori.studio.messages import (
    EditTake,
    EditTogether,
    Export,
    HandInput,
    HandKind,
    LoadPuppet,
    Open,
    PuppetUpdate,
    Remove,
    Undo,
)
from komadori.studio.parts.puppet import built
from komadori.studio.shelf import Shelf

from bodies import tree
from wire import unpacked

OTHER = "character:mannequin"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A desk with three keys of a kick, a take, and the mannequin on the same handle."""
    made = Desk(Shelf(tmp_path))
    made.do(LoadPuppet("kick.json", emit(puppet_from(sample("kick"), [10, 30, 45], "right_foot")).decode()))
    t = np.linspace(0.0, 1.0, 25)
    path = np.c_[0.1 * np.sin(6.0 * t), 0.4 + 0.3 * t, 0.2 * t]
    hand = Hand(made, lambda: 100.0, lambda: None)
    made.do(EditTake("begin", number=7, gesture="r"))
    for n, place in enumerate(path):
        hand.feel(np.array([HandKind.HANDLE, n, 7, *place, t[n], 0.0], dtype="<f4").tobytes())
    hand.keep()
    made.do(EditTake("finish", number=7, value=1.0, gesture="r"))
    made.do(EditTogether([OTHER]))
    return made


def told(desk: Desk) -> PuppetUpdate:
    found = next(iter(desk.teller.answers("puppet", desk.revision, desk.scene)))
    assert isinstance(found, PuppetUpdate)
    return found


def test_the_other_has_the_keys_and_the_handle_at_its_size(desk: Desk) -> None:
    skeleton, lead = desk.results.puppet(desk.scene)
    assert lead is not None
    (member,) = desk.results.company.of(desk.scene, skeleton)
    moved = lead.moved_to(character("mannequin").skeleton)
    assert member.grown == pytest.approx(growth(lead.keys, moved.keys))
    assert member.grown != pytest.approx(1.0, abs=0.01)
    place = np.array([0.1, 0.6, 0.2])
    np.testing.assert_allclose(member.pose(place).rotations, moved.pose(member.grown * place).rotations, atol=1e-4)


def test_a_moving_handle_poses_all_of_them(desk: Desk) -> None:
    skeleton, _ = desk.results.puppet(desk.scene)
    (member,) = desk.results.company.of(desk.scene, skeleton)
    hand = Hand(desk, lambda: 100.0, lambda: None)
    assert hand.feel(np.array([HandKind.HANDLE, 1, 0, 0.1, 0.6, 0.2, -1.0, 0.0], dtype="<f4").tobytes())
    answer = hand.answer()
    assert answer is not None
    sent = unpacked(answer)
    assert len(sent["rotations"]) == len(skeleton)
    wanted = member.pose(np.float32([0.1, 0.6, 0.2]).astype(float))
    np.testing.assert_allclose(sent["turns"], wanted.rotations, atol=1e-5)
    np.testing.assert_allclose(sent["places"], wanted.positions, atol=1e-5)


def test_the_page_is_told_of_its_figure_and_its_motion(desk: Desk) -> None:
    (member,) = told(desk).together
    assert (member.character, member.joints) == (OTHER, len(character("mannequin").skeleton))
    glb = desk.teller.offers.get(member.figure.rsplit("/", 1)[-1])
    assert glb is not None
    assert glb[:4] == b"glTF"
    sent = desk.teller.offers.get(member.motion.rsplit("/", 1)[-1])
    assert sent is not None
    assert unpacked(sent)["frames"] == 25
    desk.do(EditTake("show", what="nothing"))
    assert told(desk).together[0].motion == ""
    desk.do(EditTogether([]))
    assert told(desk).together == []
    desk.do(Undo())
    assert len(told(desk).together) == 1


@pytest.mark.parametrize(("kind", "suffix"), [("motion", ".bvh"), ("character", ".glb")])
def test_a_file_each_is_exported(desk: Desk, kind: str, suffix: str, tmp_path: Path) -> None:
    ask = Export("puppet", kind, suffix)  # type: ignore[arg-type]
    file = exported(desk, desk.scene, ask, lambda done, total: None)
    assert file.name.endswith("-puppet.zip")
    with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path)
    assert len(names) == 2
    assert names[1] == names[0].replace(suffix, f"-2{suffix}")
    skeleton, _ = desk.results.puppet(desk.scene)
    (member,) = desk.results.company.of(desk.scene, skeleton)
    read, wanted = komadori.load(tmp_path / names[1]), member.motion()
    assert len(read) == len(wanted)
    # A BVH states no unit; what its joints do is the same.
    tall = [np.ptp(clip.world_positions()[:, :, 1]) for clip in (read, wanted)]
    away = read.world_positions() / tall[0] - wanted.world_positions() / tall[1]
    assert np.abs(away[:, : len(wanted.skeleton)]).max() < 1e-2 if suffix == ".glb" else len(read.skeleton) > 20
    desk.do(EditTogether([]))
    assert exported(desk, desk.scene, ask, lambda done, total: None).name.endswith(suffix)


def test_a_body_that_keys_cannot_be_moved_to_is_refused(desk: Desk) -> None:
    before, skeleton = desk.scene, tree(3)
    body = Character("stick", skeleton, (), ())
    (item,) = desk.shelf.dropped([("stick.glb", encoded(body, "stick.glb"))]).items
    with pytest.raises(OptionError, match="the keys cannot be moved to stick"):
        desk.prepare(EditTogether([item.key]))
    assert desk.scene == before


def test_a_character_on_the_handle_stays_on_the_shelf(desk: Desk) -> None:
    with pytest.raises(OptionError, match="in use"):
        desk.prepare(Remove(OTHER))


def test_another_first_character_keeps_the_others(desk: Desk) -> None:
    desk.prepare(Open(character=OTHER))
    desk.do(Open(character=OTHER))
    assert desk.scene.puppet.together == [OTHER]
    skeleton, lead = desk.results.puppet(desk.scene)
    assert lead is not None
    (member,) = desk.results.company.of(desk.scene, skeleton)
    assert member.grown == pytest.approx(1.0)
    again = built(member.scene.puppet, member.skeleton)
    place = [0.1, 0.6, 0.2]
    np.testing.assert_allclose(again.pose(place).rotations, lead.pose(place).rotations, atol=1e-5)


def test_hands_that_are_not_on_the_handle_say_nothing_of_others(desk: Desk) -> None:
    skeleton, _ = desk.results.puppet(desk.scene)
    hand = Hand(desk, lambda: 100.0, lambda: None)
    numbers = [HandKind.PULL, 1, skeleton.roles["right_hand"], 0.1, 1.0, 0.3, 1.0, 0.0]
    assert HandInput.read(np.array(numbers, dtype="<f4").tobytes()) is not None
    assert hand.feel(np.array(numbers, dtype="<f4").tobytes())
    answer = hand.answer()
    assert answer is not None
    assert "turns" not in unpacked(answer)
