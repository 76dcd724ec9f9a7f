"""The desk: what is asked changes the scene, and what is told is exactly what the library gives."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

import komadori
from komadori import keyposes, limited
from komadori.characters import character, sample
from komadori.errors import KomadoriError, OptionError
from komadori.motion import Motion
from komadori.skeleton import Skeleton
from komadori.studio.desk import Desk
from komadori.studio.messages import (
    Change,
    EditSheet,
    EditShot,
    HairArrays,
    KeyposesUpdate,
    LimitedUpdate,
    MethodUpdate,
    Open,
    OptimumUpdate,
    Redo,
    Undo,
)
from komadori.studio.packing import packed, packed_motion
from komadori.studio.recipe import recipe_of
from komadori.studio.scene import Scene
from komadori.studio.shelf import Shelf
from komadori.studio.shot import Shot
from komadori.studio.telling import LONG, long_clip

from staging import staged_sample
from wire import unpacked


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(Shelf(tmp_path / "files"))


@pytest.fixture(scope="module")
def placed() -> Motion:
    return staged_sample("pitch")


def told(desk: Desk, part: str) -> MethodUpdate:
    """What the method gives."""
    answer = next(iter(desk.teller.answers(part, desk.revision, desk.scene)))
    assert isinstance(answer, MethodUpdate)
    return answer


def evidence(desk: Desk, part: str) -> LimitedUpdate | KeyposesUpdate:
    _, answer = desk.teller.answers(part, desk.revision, desk.scene)
    assert isinstance(answer, LimitedUpdate | KeyposesUpdate)
    return answer


def do(desk: Desk, ask: object) -> None:
    desk.prepare(ask)
    desk.do(ask)


def test_limited_is_what_the_library_gives(desk: Desk, placed: Motion) -> None:
    do(desk, Change("limited", {"omit": 6, "solver": "optimal", "max_exposures": 2}))
    answer = evidence(desk, "limited")
    wanted = limited(placed, omit=6, solver="optimal", max_exposures=2)
    assert isinstance(answer, LimitedUpdate)
    assert told(desk, "limited").source == wanted.sheet.source.tolist()
    assert told(desk, "limited").motion == "", "the sheet tells it"
    assert [row.label.en for row in told(desk, "limited").rows] == [
        str(label) for label, _ in limited.declaration.rows(wanted)
    ]
    assert answer.drawings == wanted.drawings
    assert answer.error == wanted.error
    np.testing.assert_array_equal(answer.steps_after, wanted.steps_after)
    assert answer.omitted_frames == wanted.omitted_frames.tolist()


def test_the_optimum_comes_after_the_answer(desk: Desk, placed: Motion) -> None:
    _, answer = desk.teller.answers("limited", 0, desk.scene)
    (thought,) = desk.teller.afterthoughts("limited", 0, desk.scene)
    assert isinstance(answer, LimitedUpdate)
    assert isinstance(thought, OptimumUpdate)
    assert thought.optimum == limited(placed).optimum


def test_key_poses_are_what_the_library_gives(desk: Desk, placed: Motion) -> None:
    do(desk, Change("keyposes", {"count": 9}))
    answer = evidence(desk, "keyposes")
    wanted = keyposes(placed, count=9)
    assert isinstance(answer, KeyposesUpdate)
    assert answer.frames == wanted.frames.tolist()
    assert told(desk, "keyposes").source == wanted.sheet.source.tolist()
    assert answer.error == wanted.error


def test_the_motion_that_is_fetched_is_the_clip(desk: Desk, placed: Motion) -> None:
    body = desk.teller.body(0, desk.scene)
    data = desk.teller.offers.get(body.motion.removeprefix("api/offer/"))
    assert data is not None
    arrays = unpacked(data)
    np.testing.assert_allclose(arrays["rotations"], placed.rotations, atol=1e-6)
    rebuilt = np.broadcast_to(placed.skeleton.offsets, placed.positions.shape).copy()
    rebuilt[:, arrays["moving"]] = arrays["positions"]
    np.testing.assert_allclose(rebuilt, placed.positions, atol=1e-6)


def test_the_result_of_a_sheet_for_each_part_is_fetched_too(desk: Desk) -> None:
    do(desk, Change("limited", {"layers": "parts"}))
    answer = told(desk, "limited")
    data = desk.teller.offers.get(answer.motion.removeprefix("api/offer/"))
    assert data == packed_motion(desk.results.limited(desk.scene).motion)


def test_edits_change_the_sheet_and_survive_a_new_slider_value(desk: Desk) -> None:
    before = told(desk, "limited").source
    do(desk, EditSheet("limited", "insert", frame=3))
    edited = told(desk, "limited")
    assert edited.edited
    assert edited.source == [*before[:4], before[3], *before[4:]]
    shown = edited.source[3]
    do(desk, Change("limited", {"omit": 9, "hold": 30}))
    after = told(desk, "limited")
    assert after.edited
    assert after.source != edited.source
    assert after.source.count(shown) == edited.source.count(shown), "the lock is as long as it was"
    ((start, end),) = after.locked
    assert after.source[start:end] == [shown] * edited.source.count(shown)
    do(desk, EditSheet("limited", "pin", frame=start))
    assert told(desk, "limited").source.count(shown) == edited.source.count(shown)
    desk.do(Undo())
    desk.do(Undo())
    assert told(desk, "limited").source == edited.source
    do(desk, EditSheet("limited", "unlock", frame=3))
    assert not told(desk, "limited").edited
    assert told(desk, "limited").source == before
    desk.do(Undo())
    assert told(desk, "limited").source == edited.source
    desk.do(Undo())
    assert told(desk, "limited").source == before
    desk.do(Redo())
    assert told(desk, "limited").source == edited.source


def test_a_pin_is_drawn_and_a_second_one_takes_it_back(desk: Desk) -> None:
    source = told(desk, "limited").source
    frame = next(n for n in range(1, len(source)) if source[n] == source[n - 1])
    do(desk, Change("limited", {"pins": [frame]}))
    assert frame in told(desk, "limited").source
    shown = told(desk, "limited").source.index(frame)
    do(desk, EditSheet("limited", "pin", frame=shown))
    assert "pins" not in desk.scene.part("limited").options


def test_a_bad_option_changes_nothing(desk: Desk) -> None:
    before = desk.scene
    for options in ({"omit": -1}, {"omit": "many"}, {"solver": "best"}, {"speed": 3}, {"camera": None}, {"pins": [-1]}):
        with pytest.raises(KomadoriError):
            do(desk, Change("limited", options))
        assert desk.scene == before
    assert not desk.history.past


def test_an_option_at_its_default_is_not_kept(desk: Desk) -> None:
    do(desk, Change("limited", {"omit": 7, "hold": 10}))
    do(desk, Change("limited", {"omit": None, "hold": None}))
    assert desk.scene.part("limited").options == {}


def test_another_motion_forgets_edits_and_pins_of_the_old_one(desk: Desk) -> None:
    do(desk, Change("limited", {"pins": [100], "omit": 6}))
    do(desk, EditSheet("limited", "delete", frame=0))
    do(desk, Open(motion="sample:walk"))
    assert desk.scene.locks("limited") == []
    assert desk.scene.part("limited").options == {"omit": 6}
    desk.do(Undo())
    assert desk.scene.locks("limited")


def test_what_is_not_on_the_shelf_is_refused_and_nothing_changes(desk: Desk) -> None:
    before = desk.scene
    for ask in (
        Open(motion="sample:moonwalk"),
        Open(motion="path:/etc/passwd"),
        Open(character="drop:../../x.vrm"),
        Open(motion="", character=""),
        Open(motion="character:horse#gallop"),
    ):
        with pytest.raises(OptionError):
            desk.prepare(ask)
    assert desk.scene == before


def test_a_horse_trots_on_its_own_bones(desk: Desk) -> None:
    do(desk, Open(motion="character:horse#trot", character="character:horse"))
    body = desk.teller.body(1, desk.scene)
    assert body.frames == len(character("horse").motions["trot"])
    assert {chain.kind for chain in body.chains} >= {"tail"}


def test_a_motion_alone_is_drawn_on_its_own_skeleton(desk: Desk) -> None:
    do(desk, Open(character=""))
    body = desk.teller.body(1, desk.scene)
    assert body.joints == list(sample("pitch").skeleton.names)
    figure = desk.teller.offers.get(body.figure.removeprefix("api/offer/"))
    assert figure is not None
    assert figure[:4] == b"glTF"


def test_a_scene_is_the_same_after_it_was_written(desk: Desk) -> None:
    do(desk, Change("limited", {"omit": 6, "pins": [3, 5], "contacts": True}))
    do(desk, EditSheet("limited", "insert", frame=3))
    assert msgspec.json.decode(msgspec.json.encode(desk.scene), type=Scene) == desk.scene


def test_addresses_that_were_never_told_lead_nowhere(desk: Desk) -> None:
    assert desk.teller.offers.get("anything.glb") is None


def test_packed_arrays_are_aligned_for_the_page() -> None:
    data = packed(HairArrays(1, 0, 2, np.arange(2), np.zeros((2, 0, 4)), heights=np.array([[0.25, 0.5]])))
    assert len(data) % 4 == int.from_bytes(data[:4], "little") % 4 == 0
    found = unpacked(data)
    assert found["type"] == "hair_turns"
    assert found["joints"].tolist() == [0, 1]
    assert found["heights"].tolist() == [[0.25, 0.5]]
    assert "bones" not in found, "what is None is not sent"


def test_another_frame_rate_takes_the_clip_anew_and_is_taken_back(desk: Desk) -> None:
    before = len(desk.results.staged(desk.scene).motion)
    do(desk, Change("limited", {"pins": [4]}))
    do(desk, EditShot(Shot(first=24, last=96), ["first", "last"]))
    do(desk, Open(fps=30.0))
    clip = desk.results.staged(desk.scene).motion
    assert clip.fps == 30.0
    assert len(clip) == pytest.approx(before * 30 / 24, abs=2)
    assert told(desk, "limited").source
    # The in and out points are at the same seconds; frames of the other clip mean nothing here.
    assert (desk.scene.shot.first, desk.scene.shot.last) == (30, 120)
    assert desk.scene.part("limited").options == {}
    assert dict(recipe_of(desk.scene, "limited")[0].steps[0].given)["fps"] == 30.0
    desk.do(Undo())
    assert len(desk.results.staged(desk.scene).motion) == before
    assert desk.scene.part("limited").options == {"pins": [4]}
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"type": "open", "fps": 0}', type=Open)


def test_a_very_long_clip_opens_with_a_word_of_warning() -> None:
    assert long_clip(LONG - 1) is None
    said = long_clip(100_000)
    assert said is not None
    assert said.en.startswith("100,000 frames are open")
    assert "100,000" in said.ja


def test_a_clip_of_an_unknown_body_opens_on_its_own_skeleton(tmp_path: Path) -> None:
    """Onto the girl it cannot be put: what a newcomer dropped is seen all the same."""
    names = ("base", "child1", "child2")
    skeleton = Skeleton(names, np.array([-1, 0, 1]), np.array([[0.0, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.3, 0.0]]))
    turns = np.zeros((30, 3, 4))
    turns[..., 3] = np.cos(0.02 * np.arange(30))[:, None]
    turns[..., 0] = np.sin(0.02 * np.arange(30))[:, None]
    komadori.save(Motion(skeleton, 24.0, turns, np.broadcast_to(skeleton.offsets, (30, 3, 3))), tmp_path / "odd.bvh")
    desk = Desk(Shelf(tmp_path / "files"))
    (item,) = desk.shelf.dropped([("odd.bvh", (tmp_path / "odd.bvh").read_bytes())]).items
    do(desk, Open(motion=item.motions[0]))
    assert (desk.scene.motion, desk.scene.character) == (item.motions[0], "")
    # Asked for by name, the girl is refused as before.
    with pytest.raises(OptionError, match="recognised"):
        do(desk, Open(motion=item.motions[0], character="character:girl"))
    do(desk, Open(motion="sample:walk", character="character:girl"))
    do(desk, Open(motion="sample:pitch"))
    assert desk.scene.character == "character:girl"
