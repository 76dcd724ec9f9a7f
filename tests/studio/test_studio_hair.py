"""Hair at the desk: what is told is the library's hair, what is drawn is found again, and all of it can be taken back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori import hair, quat, retarget
from komadori.character import Character
from komadori.characters import character, sample
from komadori.errors import KomadoriError, OptionError
from komadori.formats.trace import parse_csv
from komadori.motion import Motion
from komadori.studio.desk import Desk
from komadori.studio.messages import (
    Change,
    ClearStrands,
    DrawStrand,
    FitHair,
    HairChecked,
    HairUpdate,
    Open,
    PickChain,
    Preset,
    Redo,
    SetWind,
    TakeTrace,
    Undo,
)
from komadori.studio.parts.hair import WHOLE, _pieces
from komadori.studio.scene import Scene
from komadori.studio.shelf import Shelf

from staging import staged_sample
from wire import unpacked

CHAIN = "hair_ponytail"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(Shelf(tmp_path / "files"))


@pytest.fixture(scope="module")
def girl() -> Character:
    return character("girl")


@pytest.fixture(scope="module")
def placed(girl: Character) -> Motion:
    return staged_sample("pitch")


def do(desk: Desk, *asks: Any) -> None:
    for ask in asks:
        desk.prepare(ask)
        desk.do(ask)


def answered(desk: Desk, frame: int = 0) -> tuple[HairUpdate, dict[str, np.ndarray]]:
    """The message, and the arrays of all pieces; those of rotations in the order of frames."""
    messages = []
    turns: dict[int, np.ndarray] = {}
    found: dict[str, np.ndarray] = {}
    for answer in desk.teller.answers("hair", desk.revision, desk.scene, frame):
        if not isinstance(answer, bytes):
            messages.append(answer)
            continue
        piece = unpacked(answer)
        found |= piece
        for n, row in enumerate(piece["rotations"]):
            turns[piece["first"] + n] = row
    assert len(messages) == 1
    assert isinstance(messages[0], HairUpdate)
    if turns:
        assert sorted(turns) == list(range(len(turns)))
        found["rotations"] = np.array([turns[n] for n in range(len(turns))])
    return messages[0], found


def test_the_turns_are_the_librarys(desk: Desk, girl: Character, placed: Motion) -> None:
    do(desk, Preset("gust"), SetWind([1.0, 0.5, -3.0]), Change("hair", {"on": 2, "damping": 0.6}))
    told, arrays = answered(desk)
    wanted = hair(girl, placed, preset="gust", wind=(1.0, 0.5, -3.0), on=2, damping=0.6)
    joints = arrays["joints"].tolist()
    assert joints == wanted.touched
    assert np.allclose(arrays["rotations"], wanted.motion.rotations[:, joints], atol=1e-6)
    assert (told.cycle, told.step, told.drawings) == (wanted.cycle, 2, wanted.drawings)
    assert (told.period_s, told.loop_s, told.wind) == (wanted.period_s, wanted.loop_s, [1.0, 0.5, -3.0])
    assert told.values["wavelength"] == wanted.options.value("wavelength")
    assert told.notes[0].en == wanted.notes[0] if wanted.notes else not told.notes


def test_a_long_clip_comes_in_pieces_and_is_whole(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    _, whole = answered(desk)
    monkeypatch.setattr("komadori.studio.parts.hair.WHOLE", 10)
    monkeypatch.setattr("komadori.studio.parts.hair.BEFORE", 3)
    monkeypatch.setattr("komadori.studio.parts.hair.AFTER", 5)
    monkeypatch.setattr("komadori.studio.parts.hair.PIECE", 20)
    answers = list(desk.teller.answers("hair", 0, desk.scene, 70))
    assert len(answers) > 5
    assert isinstance(answers[0], bytes)
    assert isinstance(answers[1], HairUpdate)
    _, pieces = answered(desk, 70)
    assert (pieces["rotations"] == whole["rotations"]).all()


@given(st.integers(1, 30_000), st.integers(-10, 40_000))
def test_pieces_cover_every_frame_once_and_the_present_one_first(frames: int, frame: int) -> None:
    pieces = list(_pieces(frames, frame))
    assert sorted(n for first, last in pieces for n in range(first, last)) == list(range(frames))
    first, last = pieces[0]
    assert first <= min(max(frame, 0), frames - 1) < last
    assert last - first <= WHOLE


def test_the_wave_is_drawn_as_long_as_the_strand(desk: Desk) -> None:
    told, arrays = answered(desk)
    assert told.chain == CHAIN, "the longest"
    bones = np.linalg.norm(np.diff(arrays["bones"], axis=1), axis=-1)
    assert len(arrays["bones"]) == told.drawings == len(arrays["heights"])
    assert np.allclose(bones.sum(axis=1), 1.0, atol=1e-5)
    do(desk, PickChain("ribbon_left"))
    told, arrays = answered(desk)
    assert (told.chain, arrays["bones"].shape[1]) == ("ribbon_left", 4)


def test_chains_can_be_switched_off_one_by_one(desk: Desk, girl: Character) -> None:
    own = next(chain for chain in girl.chains() if chain.name == CHAIN)
    do(desk, PickChain(CHAIN, on=False))
    told, arrays = answered(desk)
    assert not set(arrays["joints"].tolist()) & set(own.joints)
    assert told.chain not in ("", CHAIN)
    for chain in girl.chains():
        do(desk, PickChain(chain.name, on=False))
    told, arrays = answered(desk)
    assert (told.chain, told.plane, arrays["rotations"].size) == ("", None, 0)
    assert told.notes[0].en == "every chain is switched off"
    assert desk.teller.afterthoughts("hair", 0, desk.scene) == []
    with pytest.raises(OptionError, match="there is no moving chain"):
        do(desk, FitHair())
    do(desk, PickChain(CHAIN, on=True))
    assert answered(desk)[1]["joints"].tolist() == list(own.joints)
    with pytest.raises(OptionError, match="chain: expected one of"):
        do(desk, PickChain("beard"))


def test_a_body_without_chains_says_so(desk: Desk) -> None:
    do(desk, Open(character=""))
    told, _ = answered(desk)
    assert told.plane is None
    assert "no hair" in told.notes[0].en
    assert told.notes[0].ja != told.notes[0].en


def test_a_preset_is_a_whole_setting_and_can_be_taken_back(desk: Desk) -> None:
    do(desk, Change("hair", {"wavelength": 0.9, "period": 3.0, "spread": 0.1}), SetWind([4.0, 0.0, 0.0]))
    before = desk.scene
    do(desk, Preset("breeze"))
    assert desk.scene.hair.options == {"preset": "breeze", "spread": 0.1}
    assert desk.scene.hair.wind is None
    do(desk, Undo())
    assert desk.scene == before
    do(desk, Redo(), Preset(""))
    assert desk.scene.hair.options == {"spread": 0.1}
    with pytest.raises(OptionError, match="preset: expected one of"):
        do(desk, Preset("hurricane"))


def test_a_drag_of_the_wind_is_one_step_back(desk: Desk) -> None:
    before = desk.scene
    do(desk, *(SetWind([0.1 * n, 0.0, 0.0], gesture="drag 1") for n in range(1, 30)))
    assert desk.scene.hair.wind == [pytest.approx(2.9), 0.0, 0.0]
    do(desk, Undo())
    assert desk.scene == before


@pytest.mark.parametrize("wind", [[1.0], [float("nan"), 0.0, 0.0], [0.0, 1e9, 0.0], [1.0, 2.0, 3.0, 4.0]])
def test_winds_that_cannot_blow_are_refused(desk: Desk, wind: list[float]) -> None:
    before = desk.scene
    with pytest.raises(OptionError, match="wind"):
        do(desk, SetWind(wind))
    assert desk.scene == before


def test_the_studios_hair_is_as_long_as_the_clip(desk: Desk, placed: Motion) -> None:
    do(desk, Change("hair", {"seconds": 1.0, "by": "springs"}))
    assert len(answered(desk)[1]["rotations"]) == len(placed)
    do(desk, Open(motion=""), Preset("stream"))
    assert len(answered(desk)[1]["rotations"]) == 48


def test_checks_come_when_the_hand_rests(desk: Desk, girl: Character, placed: Motion) -> None:
    do(desk, Preset("stream"))
    (answer,) = desk.teller.afterthoughts("hair", 7, desk.scene)
    assert isinstance(answer, HairChecked)
    wanted = hair(girl, placed, preset="stream").checks
    assert [one.name for one in answer.chains] == [one.name for one in wanted.chains]
    assert [one.figure_8 for one in answer.chains] == [one.figure_8 for one in wanted.chains]
    assert answer.revision == 7
    assert all(one.loops for one in answer.chains)


def test_spring_bones_are_the_librarys(desk: Desk, tmp_path: Path) -> None:
    short = retarget(sample("pitch"), character("horse")).motion.taken(range(4))
    body = character("horse")
    monkey = desk.results.stage.ready("sample:pitch", "character:horse")
    object.__setattr__(monkey, "motion", short)
    do(desk, Open(character="character:horse"))
    told, _ = answered(desk)
    data = desk.teller.offers.get(told.springs.removeprefix("api/offer/"))
    assert data is not None
    length = int.from_bytes(data[:4], "little")
    (joints, rotations) = msgspec.json.decode(data[4 : 4 + length])["arrays"]
    moved = hair(body, short, by="springs").motion.rotations
    indices = np.frombuffer(data, "<i4", joints["shape"][0], 4 + length)
    sent = np.frombuffer(data, "<f4", -1, 4 + length + 4 * len(indices)).reshape(rotations["shape"])
    assert len(indices) >= 6
    assert np.allclose(sent, moved[:, indices], atol=1e-6)


# ---- drawing over frames -----------------------------------------------------------------------------------------------


def rays_along(desk: Desk, frame: int, sideways: bool = True, shift: float = 0.0) -> list[list[float]]:
    """Rays from a camera beside the ponytail through its joints as they are seen at `frame`."""
    made = desk.results.hair.result(desk.scene)
    assert made is not None
    number = next(n for n, chain in enumerate(made.chains) if chain.name == CHAIN)
    turns, places = made.motion.taken([frame]).world_transforms()
    along, up = made.flow.plane(number)
    holder = turns[0, made.flow.strands.holders[number]]
    side = quat.rotate(holder, np.cross(along, up) if sideways else along)
    points = places[0, list(made.chains[number].chain.joints)]
    eye = points.mean(axis=0) + 4.0 * side + [0.0, shift, 0.0]
    return [[*eye, *(point - eye)] for point in points]


FRAMES = (0, 3, 7, 12, 16, 21, 27)


@pytest.fixture
def traced(desk: Desk) -> Desk:
    """The ponytail of the stream, drawn over exactly as it is."""
    do(desk, Preset("stream"))
    do(desk, *[DrawStrand(frame, rays_along(desk, frame)) for frame in FRAMES])
    return desk


def test_a_strand_drawn_over_itself_is_itself(traced: Desk) -> None:
    told, _ = answered(traced)
    assert [one.frame for one in told.strands] == list(FRAMES)
    assert all(one.fitted == [] for one in told.strands)
    assert told.shown_angle_deg is not None
    assert told.shown_angle_deg < 1.5
    assert told.shown_percent is not None
    assert told.shown_percent < 1.0


def test_a_fit_finds_the_wave_that_was_drawn(traced: Desk) -> None:
    wanted, _ = answered(traced)
    # Another wave, and other steps between the strands: what was drawn must be found from there.
    do(traced, Change("hair", {"wavelength": 0.8, "size": 0.4, "calm": 2.0, "period": 2.0, "seed": 5}))
    lost, _ = answered(traced)
    assert lost.shown_angle_deg is not None
    assert lost.shown_angle_deg > 10.0
    do(traced, FitHair())
    told, _ = answered(traced)
    assert told.fit is not None
    assert told.fit.chain == CHAIN
    assert told.fit.angle_deg < 4.0
    assert told.shown_angle_deg is not None
    assert told.shown_angle_deg < 3.0
    for name, near in (("wavelength", 0.1), ("calm", 0.3), ("stiffness", 0.3), ("size", 0.2), ("period", 0.05)):
        assert told.values[name] == pytest.approx(wanted.values[name], abs=near), name
    assert all(len(one.fitted) == 9 for one in told.strands)
    before = traced.scene.hair
    do(traced, Undo())
    assert traced.scene.hair.fit is None
    assert traced.scene.hair.options["wavelength"] == 0.8
    do(traced, Redo())
    assert traced.scene.hair == before
    assert msgspec.json.decode(msgspec.json.encode(traced.scene), type=Scene) == traced.scene


def test_a_fit_on_half_is_scored_on_the_drawings_that_it_has_not_seen(desk: Desk) -> None:
    frames = range(0, 36, 3)
    do(desk, PickChain(CHAIN), *[DrawStrand(frame, rays_along(desk, frame)) for frame in frames])
    rays = {frame: rays_along(desk, frame + 12) for frame in frames}
    do(desk, Change("hair", {"wavelength": 0.8, "size": 0.4, "calm": 2.0, "period": 2.0, "seed": 5}))
    do(desk, FitHair())
    whole = desk.scene.hair.fit
    do(desk, Undo(), FitHair(aside=True))
    half = desk.scene.hair.fit
    assert whole is not None
    assert half is not None
    assert (whole.aside, half.aside) == (0, 6)
    assert 0.0 < half.aside_angle_deg < 6.0
    # Judged by the same drawings, what is no wave does worse.
    assert min(half.rigid_angle_deg, half.springs_angle_deg) > 1.5 * half.aside_angle_deg
    # Drawings that say something else are not fitted away: those kept aside tell.
    do(desk, Undo(), *[DrawStrand(frame, rays[frame]) for frame in list(frames)[1::2]], FitHair(aside=True))
    fooled = desk.scene.hair.fit
    assert fooled is not None
    assert fooled.angle_deg == pytest.approx(half.angle_deg, abs=0.5)
    assert fooled.aside_angle_deg > half.aside_angle_deg + 5.0


def test_half_is_kept_aside_only_where_there_are_enough(traced: Desk) -> None:
    with pytest.raises(OptionError, match="8 frames or more"):
        do(traced, FitHair(aside=True))


def test_a_fit_can_keep_the_period(traced: Desk) -> None:
    do(traced, Change("hair", {"period": 1.25}), FitHair(hold=True))
    assert answered(traced)[0].period_s == 1.25


def test_a_fit_needs_four_drawings(desk: Desk) -> None:
    with pytest.raises(OptionError, match="nothing was drawn"):
        do(desk, FitHair())
    do(desk, *[DrawStrand(frame, rays_along(desk, frame)) for frame in FRAMES[:3]])
    with pytest.raises(OptionError, match="four drawings"):
        do(desk, FitHair())


def test_drawings_are_replaced_erased_and_cleared(traced: Desk) -> None:
    first = traced.scene.hair.strands[0]
    do(traced, DrawStrand(0, rays_along(traced, 3)))
    assert len(traced.scene.hair.strands) == len(FRAMES)
    assert traced.scene.hair.strands[0] != first
    do(traced, DrawStrand(0, []))
    assert [one.frame for one in traced.scene.hair.strands] == list(FRAMES[1:])
    do(traced, ClearStrands())
    assert traced.scene.hair.strands == []
    do(traced, Undo(), Undo(), Undo())
    assert traced.scene.hair.strands[0] == first


def test_a_plane_seen_from_its_edge_cannot_be_drawn_on(desk: Desk) -> None:
    with pytest.raises(OptionError, match="seen edge-on"):
        do(desk, DrawStrand(0, rays_along(desk, 0, sideways=False)))


@pytest.mark.parametrize(
    "rays",
    [
        [[0.0] * 6] * 3,
        [[0.0] * 5] * 3,
        [[float("nan")] * 6] * 3,
        [[1e300] * 6] * 3,
        [[0.0, 0.0, 9.0, 0.0, 0.0, -1.0]],
        [[0.0, 0.0, 9.0, 1.0, 0.0, 0.2]] * 4,
        [[0.0, 0.0, 9.0, 1.0, 0.0, 0.2]] * 5000,
    ],
)
def test_rays_that_cannot_be_are_refused(desk: Desk, rays: list[list[float]]) -> None:
    before = desk.scene
    with pytest.raises(KomadoriError):
        do(desk, DrawStrand(0, rays))
    assert desk.scene == before


@pytest.mark.parametrize("frame", [-1, 129, 10**12])
def test_frames_that_are_not_there_are_refused(desk: Desk, frame: int) -> None:
    with pytest.raises(OptionError, match="frame"):
        do(desk, DrawStrand(frame, rays_along(desk, 0)))


def test_a_trace_is_saved_and_taken_again(traced: Desk) -> None:
    told, _ = answered(traced)
    saved = traced.teller.offers.get(told.trace.removeprefix("api/offer/"))
    assert saved is not None
    trace = parse_csv(saved, "x.csv")
    assert (trace.at, trace.chain) == (FRAMES, CHAIN)
    do(traced, ClearStrands(), PickChain("ribbon_left"), TakeTrace("x.csv", saved.decode()))
    again, _ = answered(traced)
    assert again.chain == CHAIN, "the trace names its chain"
    assert [one.frame for one in again.strands] == list(FRAMES)
    assert again.shown_angle_deg == pytest.approx(told.shown_angle_deg, abs=0.01)


@pytest.mark.parametrize("text", ["", "x0,y0\n", "x0,y0,x1,y1\n0,0,0,0\n", "# at: 900000\nx0,y0,x1,y1\n0,0,1,0\n", "{"])
def test_traces_that_cannot_be_are_refused(desk: Desk, text: str) -> None:
    for name in ("trace.csv", "trace.json"):
        with pytest.raises(KomadoriError):
            do(desk, TakeTrace(name, text))
    assert desk.scene == Scene()


def test_another_clip_or_body_is_not_what_was_drawn_over(traced: Desk) -> None:
    do(traced, FitHair(), Open(motion="sample:walk"))
    assert (traced.scene.hair.strands, traced.scene.hair.fit) == ([], None)
    assert traced.scene.hair.options["preset"] == "stream", "the setting stays"
    do(traced, Undo(), Open(character="character:horse"))
    assert traced.scene.hair.strands == []


def test_a_scene_of_before_there_was_hair_is_opened() -> None:
    assert msgspec.json.decode(b'{"version": 1, "motion": "sample:walk"}', type=Scene).hair == Scene().hair
