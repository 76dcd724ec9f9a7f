"""Translation in the studio: what is told is what the library gives, learning tells how far it is, and live follows."""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec
import numpy as np
import pytest

from komadori.characters import character
from komadori.errors import KomadoriError, OptionError
from komadori.methods.translate import Translator, quadruped
from komadori.motion import Motion
from komadori.studio import working
from komadori.studio.desk import Desk
from komadori.studio.messages import Cast, Change, Follow, ProgressUpdate, Redo, TranslateUpdate, Undo
from komadori.studio.packing import packed_motion
from komadori.studio.panels import listed
from komadori.studio.parts.live import Follower
from komadori.studio.parts.translate import stances, taken_at
from komadori.studio.scene import Scene
from komadori.studio.shelf import Shelf
from komadori.words import Note

from realdata import real
from staging import staged_sample


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(Shelf(tmp_path / "files"), Scene(motion="sample:walk"))


@pytest.fixture(scope="module")
def walk() -> Motion:
    return staged_sample("walk")


def do(desk: Desk, ask: object) -> None:
    desk.prepare(ask)
    desk.do(ask)


def told(desk: Desk) -> tuple[TranslateUpdate, list[ProgressUpdate]]:
    *steps, answer = desk.teller.answers("translate", desk.revision, desk.scene)
    assert isinstance(answer, TranslateUpdate)
    assert all(isinstance(step, ProgressUpdate) for step in steps)
    return answer, steps  # type: ignore[return-value]


def fetched(desk: Desk, address: str) -> bytes:
    data = desk.teller.offers.get(address.removeprefix("api/offer/"))
    assert data is not None
    return data


def arrays(data: bytes) -> tuple[dict[str, object], dict[str, np.ndarray]]:
    length = int.from_bytes(data[:4], "little")
    header = msgspec.json.decode(data[4 : 4 + length])
    at, found = 4 + length, {}
    for entry in header["arrays"]:
        count = int(np.prod(entry["shape"]))
        found[entry["name"]] = np.frombuffer(data, {"f32": "<f4", "i32": "<i4"}[entry["kind"]], count, at).reshape(
            entry["shape"]
        )
        at += 4 * count
    return header, found


def test_the_animal_is_what_the_library_gives(desk: Desk, walk: Motion) -> None:
    answer, _ = told(desk)
    wanted = quadruped(walk, character("horse")).motion
    assert fetched(desk, answer.partner.motion) == packed_motion(wanted)
    assert fetched(desk, answer.partner.figure)[:4] == b"glTF"
    assert answer.source == list(range(len(walk)))
    assert [note.en for note in answer.notes] == list(wanted.notes)
    assert (answer.gait, answer.order) == ("walk", ["LH", "LF", "RH", "RF"])
    assert answer.cycle_s == pytest.approx(1.0, abs=0.05)
    assert 0.0 <= answer.skate_m_s < 0.02


def test_hind_feet_come_down_with_the_persons(desk: Desk) -> None:
    answer, _ = told(desk)
    assert answer.person.names == ["L", "R"]
    assert answer.animal.names == ["LH", "RH", "LF", "RF"]
    for own, hind in zip(answer.person.stances, answer.animal.stances, strict=False):
        falls = [frame for frame in own[::2] if 0 < frame < 90]
        assert falls
        assert all(min(abs(frame - other) for other in hind[::2]) <= 2 for frame in falls)


def test_a_stance_is_from_its_first_frame_to_the_one_after_its_last() -> None:
    on = np.array([False, True, True, False, False, True])
    assert stances(on) == [1, 3, 5, 6]
    assert stances(~on) == [0, 1, 3, 5]
    assert stances(np.zeros(0, dtype=bool)) == []


@pytest.mark.parametrize("speed", [0.5, 1.5, 2.0])
def test_at_another_speed_the_animals_cycle_is_as_much_shorter(desk: Desk, walk: Motion, speed: float) -> None:
    do(desk, Change("translate", {"speed": speed}))
    answer, _ = told(desk)
    assert answer.partner.frames == len(answer.source) == pytest.approx(len(walk) / speed, abs=2)
    assert answer.cycle_s == pytest.approx(1.0 / speed, abs=0.1)
    assert answer.source[0] == 0
    assert answer.source[-1] == pytest.approx(len(walk) - 1, abs=2)
    assert np.all(np.diff(answer.source) >= 0)


def test_a_clip_at_its_own_speed_is_that_clip(walk: Motion) -> None:
    assert taken_at(walk, 1.0)[0] is walk


def test_gait_animal_and_clips_are_undone(desk: Desk) -> None:
    first = desk.scene
    do(desk, Change("translate", {"gait": "run"}))
    do(desk, Cast(animal="character:horse#walk"))
    do(desk, Cast(train=["sample:walk", "sample:slow-walk"]))
    last = desk.scene
    assert last.translate.options == {"gait": "run"}
    assert last.translate.animal == "character:horse#walk"
    assert last.translate.train == ["sample:walk", "sample:slow-walk"]
    for _ in range(3):
        do(desk, Undo())
    assert desk.scene == first
    for _ in range(3):
        do(desk, Redo())
    assert desk.scene == last


def test_a_clip_of_an_animal_can_be_driven_too(desk: Desk, walk: Motion) -> None:
    do(desk, Cast(animal="character:horse#trot"))
    answer, _ = told(desk)
    clip = character("horse").motions["trot"]
    assert fetched(desk, answer.partner.motion) == packed_motion(quadruped(walk, clip.prepared(clip.fps)).motion)


def test_a_running_answer_is_the_animals_trot(desk: Desk, walk: Motion) -> None:
    do(desk, Change("translate", {"gait": "run"}))
    answer, _ = told(desk)
    assert fetched(desk, answer.partner.motion) == packed_motion(quadruped(walk, character("horse"), gait="run").motion)
    assert answer.gait == "trot"


def test_how_the_animal_acts_is_asked_of_the_method(desk: Desk, walk: Motion) -> None:
    do(desk, Change("translate", {"stoop": 0.0, "stride": 1.5}))
    answer, _ = told(desk)
    wanted = quadruped(walk, character("horse"), stoop=0.0, stride=1.5).motion
    assert fetched(desk, answer.partner.motion) == packed_motion(wanted)
    groups = {item.name: item.group for item in listed().items[-1].parameters}
    assert (groups["stride"], groups["model"], groups["speed"]) == ("animal", "arms", "")


def test_arms_are_what_the_library_makes_of_the_legs(desk: Desk, walk: Motion) -> None:
    do(desk, Change("translate", {"to": "arms", "model": "static"}))
    do(desk, Cast(train=["sample:walk", "sample:slow-walk"]))
    answer, steps = told(desk)
    slow = staged_sample("slow-walk")
    wanted = Translator.fit([(walk, walk), (slow, slow)], "legs", "arms", model="static")
    assert fetched(desk, answer.partner.motion) == packed_motion(wanted.run(walk))
    assert answer.chosen == wanted.report.chosen.told
    assert [trial.error_deg for trial in answer.trials] == pytest.approx(
        [trial.error_deg for trial in wanted.report.trials]
    )
    assert [step.done for step in steps] == list(range(len(wanted.report.trials)))
    assert {step.total for step in steps} == {len(wanted.report.trials)}


def test_frames_outside_what_was_learnt_are_told(desk: Desk, walk: Motion) -> None:
    do(desk, Change("translate", {"to": "arms", "model": "static"}))
    do(desk, Cast(train=["sample:slow-walk"]))
    answer, _ = told(desk)
    slow = staged_sample("slow-walk")
    translator = Translator.fit([(slow, slow)], "legs", "arms", model="static")
    assert answer.outside == np.flatnonzero(translator.outside(walk)).tolist()
    assert answer.outside


@pytest.mark.parametrize(
    "ask",
    [
        Cast(animal="character:unicorn"),
        Cast(animal="path:/etc/passwd"),
        Cast(animal="drop:../scene.json"),
        Cast(animal="sample:"),
        Cast(train=["sample:walk", "path:/etc/passwd"]),
        Cast(train=["sample:walk"] * 65),
        Change("translate", {"gait": "hop"}),
        Change("translate", {"to": "ceiling"}),
        Change("translate", {"speed": 0.0}),
        Change("translate", {"speed": float("nan")}),
        Change("translate", {"sped": 1.0}),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(desk: Desk, ask: object) -> None:
    before = desk.scene
    with pytest.raises(KomadoriError):
        do(desk, ask)
    assert desk.scene == before


def test_who_is_no_animal_is_told_in_one_line(desk: Desk) -> None:
    do(desk, Cast(animal="character:girl"))
    with pytest.raises(OptionError) as error:
        told(desk)
    assert "\n" not in str(error.value)


def test_a_body_without_a_motion_drives_nothing(tmp_path: Path) -> None:
    desk = Desk(Shelf(tmp_path / "files"), Scene(motion=""))
    with pytest.raises(OptionError, match="open a motion"):
        told(desk)


@pytest.mark.parametrize(
    "beast", ["quadruped_gltf/quaternius_Wolf.glb", "quadruped_gltf/quaternius_Horse.glb", "quadruped_gltf/Fox.glb"]
)
def test_real_animals_on_the_shelf_are_driven_by_a_captured_person(tmp_path: Path, beast: str) -> None:
    person, animal = real("human_cmu_bvh/08_01.bvh"), real(beast)
    desk = Desk(Shelf(tmp_path / "files", [person, animal]), Scene(motion=f"path:{person}", character=""))
    (found,) = [item for item in desk.shelf.items() if item.key == f"path:{animal}"]
    assert found.animal
    do(desk, Cast(animal=found.key))
    answer, _ = told(desk)
    assert answer.animal.names == ["LH", "RH", "LF", "RF"]
    assert fetched(desk, answer.partner.figure)[:4] == b"glTF"
    assert len(answer.order) == 4
    assert answer.skate_m_s < 0.05
    # Its size is that of the body as it stands there, whatever space its file keeps the vertices in.
    stood = np.ptp(desk.results.driver.made(desk.scene).staged.motion.world_positions()[0], axis=0).max()
    assert 0.6 * stood < answer.partner.size < 1.7 * stood


# ---- live --------------------------------------------------------------------------------------------------------------


def test_live_arms_are_the_translators_stream(desk: Desk, walk: Motion) -> None:
    do(desk, Change("translate", {"to": "arms", "model": "static"}))
    driven = desk.results.driver.made(desk.scene)
    assert driven.translator is not None
    stream, follower = driven.translator.stream(), Follower()
    for frame in range(12):
        header, sent = arrays(follower.followed(driven, Follow(frame, serial=100 + frame)))
        wanted = stream.step(walk.rotations[frame])
        assert (header["serial"], header["frame"]) == (100 + frame, frame)
        assert sent["joints"].tolist() == list(driven.translator.outputs)
        np.testing.assert_allclose(sent["rotations"], wanted, atol=1e-6)


def test_frames_that_the_page_skipped_are_gone_through(desk: Desk) -> None:
    driven = desk.results.driver.made(desk.scene)
    one, other = Follower(), Follower()
    one.followed(driven, Follow(0))
    other.followed(driven, Follow(0))
    for frame in range(1, 10):
        last = one.followed(driven, Follow(frame))
    assert other.followed(driven, Follow(9)) == last


def test_a_leap_begins_anew_and_no_frame_is_out_of_reach(desk: Desk, walk: Motion) -> None:
    driven = desk.results.driver.made(desk.scene)
    follower = Follower()
    follower.followed(driven, Follow(0))
    assert follower.followed(driven, Follow(90)) == Follower().followed(driven, Follow(90))
    assert arrays(follower.followed(driven, Follow(10**9)))[0]["frame"] == len(walk) - 1
    assert arrays(follower.followed(driven, Follow(-5)))[0]["frame"] == 0


def test_a_live_animal_is_what_the_whole_clip_gives(desk: Desk) -> None:
    driven = desk.results.driver.made(desk.scene)
    follower = Follower()
    for frame in (0, 5, 40, 39, len(driven.person) - 1):
        _, sent = arrays(follower.followed(driven, Follow(frame)))
        wanted = driven.staged.motion.rotations[frame][sent["joints"]]
        np.testing.assert_allclose(sent["rotations"], wanted, atol=1e-6)
    assert 0 not in sent["joints"]


# ---- long work ---------------------------------------------------------------------------------------------------------


def test_long_work_tells_its_steps_then_its_result() -> None:
    def work(progress: working.Progress) -> str:
        progress(0, 2)
        progress(1, 2)
        return "done"

    assert list(working.steps(work)) == [working.Step(0, 2), working.Step(1, 2), working.Finished("done")]


def test_an_error_of_the_work_is_raised_where_it_is_waited_for() -> None:
    def work(progress: working.Progress) -> None:
        progress(0, 1)
        raise OptionError(Note("it cannot be"))

    steps = working.steps(work)
    assert next(steps) == working.Step(0, 1)
    with pytest.raises(OptionError, match="it cannot be"):
        next(steps)


def test_work_that_nobody_waits_for_stops() -> None:
    go_on, ended = threading.Event(), threading.Event()
    reached = []

    def work(progress: working.Progress) -> None:
        try:
            progress(0, 2)
            assert go_on.wait(30)
            progress(1, 2)
            reached.append("the end")
        finally:
            ended.set()

    steps = working.steps(work)
    assert next(steps) == working.Step(0, 2)
    steps.close()  # type: ignore[attr-defined]  # it is a generator
    go_on.set()
    assert ended.wait(30)
    assert reached == []
