"""Translators: what they learn, choose and say; streams, loops, files; and the paper's experiment on real clips."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import komadori
from komadori import Motion, OptionError, Translator, quat
from komadori.characters import sample
from komadori.errors import FormatError
from komadori.formats.translator.files import emit, parse
from komadori.methods.translate import TranslateOptions, models
from komadori.methods.translate.features import angles_deg, joints_of, space_of, swing
from komadori.methods.translate.models import CLEAR, MARGIN, Candidate, Trial, chosen
from komadori.methods.translate.pace import Manner, Pace

from bodies import tree, wander
from realdata import real


@pytest.fixture(scope="module")
def walk() -> Motion:
    return sample("walk", 30.0)


@pytest.fixture(scope="module")
def translator(walk: Motion) -> Translator:
    return Translator.fit([(walk, walk)])


def off_deg(made: Translator, motion: Motion) -> float:
    return float(angles_deg(made.run(motion).rotations[:, made.outputs], motion.rotations[:, made.outputs]).mean())


def test_the_paper_counts_24_numbers_for_legs_and_for_arms(walk: Motion) -> None:
    assert len(joints_of(walk.skeleton, "legs", "")) == len(joints_of(walk.skeleton, "arms", "")) == 8


def test_a_space_gives_back_what_it_was_made_from(walk: Motion) -> None:
    rotations = walk.rotations[:, joints_of(walk.skeleton, "legs", "")]
    space = space_of([rotations], 24)
    assert angles_deg(space.rotations(space.reduced(rotations)), rotations).max() < 0.05
    rough = space.kept(2)
    assert angles_deg(rough.rotations(rough.reduced(rotations)), rotations).mean() > 0.05


def test_legs_drive_arms_and_nothing_else_changes(translator: Translator, walk: Motion) -> None:
    made = translator.run(walk)
    others = np.setdiff1d(np.arange(len(walk.skeleton)), translator.outputs)
    assert np.array_equal(made.rotations[:, others], walk.rotations[:, others])
    assert np.array_equal(made.positions, walk.positions)
    assert off_deg(translator, walk) < 3.0
    mean = quat.mean(walk.rotations[:, translator.outputs])
    assert off_deg(translator, walk) < 0.4 * float(angles_deg(mean, walk.rotations[:, translator.outputs]).mean())


def slowed(motion: Motion, share: float) -> Motion:
    """The motion played at that share of its pace."""
    return replace(motion, fps=motion.fps * share).resampled(motion.fps)


@pytest.mark.parametrize("model", ["n4sid", "fir", "static", "ridge"])
def test_every_model_learns_and_is_stable(walk: Motion, model: str) -> None:
    made = Translator.fit([(walk, walk)], model=model)
    assert made.report.chosen.kind == model
    assert made.report.radius < 1.0
    assert made.report.error_deg < made.report.best("mean")


@pytest.mark.parametrize("model", ["n4sid", "fir", "static", "ridge"])
def test_a_model_that_was_asked_for_answers_every_frame_itself(walk: Motion, model: str) -> None:
    """Slow, long and still input too: nothing stands in for it."""
    made = Translator.fit([(walk, walk)], model=model)
    for clip in (walk, slowed(walk, 0.6), slowed(walk, 1.5), walk.taken(np.full(40, 30))):
        u = made.space_in.reduced(clip.rotations[:, made.inputs])
        own = made.space_out.eased(made.system.simulated(u, made.system.steady(u[0])))
        assert np.allclose(made.run(clip).rotations[:, made.outputs], made.space_out.rotations(own), atol=1e-12)


def test_answers_stay_near_the_range_that_was_learnt(walk: Motion) -> None:
    made = Translator.fit([(walk, walk)], model="n4sid", order=8, ridge=0.01)
    wild = wander(walk.skeleton, 200, seed=5, speed=0.5)
    space = made.space_out
    y = space.reduced(made.run(wild).rotations[:, made.outputs])
    room = 0.2 * (space.high - space.low)
    assert (y > space.low - room - 1e-6).all()
    assert (y < space.high + room + 1e-6).all()


def test_auto_is_never_clearly_behind_the_simple_ones(translator: Translator) -> None:
    report = translator.report
    assert report.error_deg <= 1.02 * report.best("ridge")
    assert report.chosen.told in translator.notes[0]
    assert {trial.candidate.kind for trial in report.trials} == {"mean", "ridge", "static", "both", "fir", "n4sid"}


def test_auto_takes_the_mean_of_both_ridges_where_neither_is_clearly_better(translator: Translator) -> None:
    assert translator.report.chosen.kind == "both"
    walk = sample("walk", 30.0)
    legs, arms = (np.asarray(walk.rotations[:, joints]) for joints in (translator.inputs, translator.outputs))
    taught = models.Training([(legs, arms)], TranslateOptions(components_in=3, components_out=4), 30.0)
    plain, static = (taught.fitted(Candidate(kind, 0.1)) for kind in ("ridge", "static"))
    both = taught.fitted(Candidate("both", 0.1, second=0.1))
    u = both.space_in.reduced(legs)
    answers = [one.system.simulated(u[:, : one.space_in.dims]) @ one.space_out.axes for one in (plain, static, both)]
    assert plain.space_in.dims > static.space_in.dims == 3
    np.testing.assert_allclose(answers[2], 0.5 * (answers[0] + answers[1]), atol=1e-9)
    assert np.abs(answers[0] - answers[1]).max() > 1e-4


def test_every_candidate_tells_its_swing_and_correlation(translator: Translator) -> None:
    for trial in translator.report.trials:
        assert trial.swing is not None
        assert trial.correlation is not None
        still = trial.candidate.kind == "mean"
        assert (trial.swing == 0.0) if still else (0.3 < trial.swing < 1.5)
        assert (trial.correlation == 0.0) if still else (0.7 < trial.correlation <= 1.0)


@given(st.data())
def test_auto_never_takes_what_loses_to_the_simple_ones(data: st.DataObject) -> None:
    """Whatever the folds say: hardly behind plain and static ridge; memory only if it wins everywhere."""
    degrees = st.floats(0.1, 50.0)
    trials = []
    for kind in ("mean", "ridge", "ridge", "static", "fir", "n4sid"):
        folds = data.draw(st.lists(degrees, min_size=3, max_size=3))
        ratio = data.draw(st.floats(0.1, 2.0))
        trials.append(Trial(Candidate(kind), float(np.mean(folds)), tuple(folds), float(np.mean(folds)), ratio, 0.9))
    taken = chosen(trials, "auto")
    best = min(trial.error_deg for trial in trials if trial.candidate.kind == "ridge")
    assert taken.error_deg <= MARGIN * best
    assert taken.error_deg <= MARGIN / CLEAR * min(best, trials[3].error_deg)
    assert taken.candidate.kind != "mean"
    if taken.candidate.kind in ("fir", "n4sid"):
        assert taken.error_deg < 0.86 * best


def test_of_equally_good_settings_the_one_with_the_truest_swing_is_taken() -> None:
    shy, true = (
        Trial(Candidate("ridge", ridge), error, (error,), None, ratio, 0.9)
        for ridge, error, ratio in ((1.0, 5.0, 0.7), (0.1, 5.05, 0.98))
    )
    assert chosen([shy, true], "ridge") is true
    assert chosen([shy, replace(true, error_deg=5.2)], "ridge") is shy


def test_auto_takes_memory_where_the_answer_needs_it() -> None:
    """The output repeats what the input did six frames ago, on paths that never repeat: no single frame can tell."""
    body = tree(4, seed=2)
    long = wander(body, 600, seed=3, speed=0.15)
    late = np.array(long.rotations)
    late[6:, 2] = long.rotations[:-6, 1]
    clips = [long.replaced(rotations=late)[k : k + 190] for k in (10, 200, 400)]
    made = Translator.fit([(clip, clip) for clip in clips], ["joint 1"], ["joint 2"])
    assert made.report.chosen.kind in ("fir", "n4sid")
    assert made.manner == Manner()


def test_auto_holds_that_on_real_walks_and_dogs() -> None:
    sets = [
        ([cmu(name) for name in ("08_01", "08_02", "08_03")], "legs", "arms"),
        ([cmu(name) for name in ("07_01", "07_02", "07_12")], "legs", "arms"),
        ([komadori.load(real("quadruped_tencent_dog_bvh/dog_quad_walkrun_001.bvh")).prepared(30)[40:130]], "hind legs", "fore legs"),
    ]  # fmt: skip
    for clips, inputs, outputs in sets:
        report = Translator.fit([(clip, clip) for clip in clips], inputs, outputs).report
        assert report.error_deg <= 1.02 * report.best("ridge")


def test_arms_swing_less_on_a_slow_walk_and_the_same_at_the_usual_pace(translator: Translator, walk: Motion) -> None:
    assert translator.manner.tempo == 1.0
    level = replace(translator, manner=Manner())
    slow = slowed(walk, 0.7)

    def ratio(motion: Motion) -> float:
        return swing(*(one.run(motion).rotations[:, one.outputs] for one in (translator, level)))[0]

    assert 0.97 < ratio(walk) <= 1.0
    assert 0.3 < ratio(slow) < 0.75
    assert ratio(slowed(walk, 1.4)) > 0.99
    whole = translator.run(slow, loop=True).rotations[:, translator.outputs]
    assert swing(whole, level.run(slow, loop=True).rotations[:, level.outputs])[0] < 0.75


def test_who_stands_is_left_as_the_model_says(translator: Translator, walk: Motion) -> None:
    """A stand is no slow walk: what walks teach about tempo does not hold there."""
    still = walk.taken(np.full(150, 40))
    level = replace(translator, manner=Manner())
    made, plain = (one.run(still).rotations[-1, one.outputs] for one in (translator, level))
    assert angles_deg(made, plain).max() < 0.1


def test_training_with_stops_says_itself_how_slow_arms_swing(walk: Motion) -> None:
    stops = np.concatenate([np.arange(60), np.full(90, 60), np.arange(60, len(walk))])
    made = Translator.fit([(walk, walk), (walk.taken(stops), walk.taken(stops))])
    assert made.manner.tempo == 0.0


def test_tempo_and_caution_are_taken_where_they_are_given(walk: Motion) -> None:
    plain = Translator.fit([(walk, walk)], model="ridge")
    assert plain.manner.plain
    asked = Translator.fit([(walk, walk)], model="ridge", tempo=0.5, caution=0.8)
    assert (asked.manner.tempo, asked.manner.caution) == (0.5, 0.8)
    slow = slowed(walk, 0.7)
    drawn = replace(asked, manner=Manner(caution=0.5))
    made, level = (one.run(slow).rotations[:, one.outputs] for one in (drawn, plain))
    assert 0.4 < swing(made, level)[0] < 0.75


def test_swing_ratio_and_correlation_of_known_swings() -> None:
    t = np.linspace(0.0, 20.0, 400)
    axis = np.array([1.0, 0.0, 0.0])
    truth = quat.from_axis_angle(axis, 0.5 * np.sin(t))[:, None]
    assert swing(truth, truth) == pytest.approx((1.0, 1.0))
    half = quat.from_axis_angle(axis, 0.2 + 0.25 * np.sin(t))[:, None]
    assert swing(half, truth) == pytest.approx((0.5, 1.0), abs=1e-3)
    late = quat.from_axis_angle(axis, 0.5 * np.sin(t - 0.5))[:, None]
    assert swing(late, truth)[1] == pytest.approx(np.cos(0.5), abs=0.03)
    assert swing(np.repeat(truth[:1], len(t), axis=0), truth) == (0.0, 0.0)


def test_order_and_ridge_are_taken_where_they_are_given(walk: Motion) -> None:
    made = Translator.fit([(walk, walk)], model="n4sid", order=3, ridge=0.1)
    assert made.report.chosen.order == made.report.order == 3
    assert made.report.chosen.ridge == 0.1


def test_a_stream_gives_what_a_run_gives(walk: Motion) -> None:
    for model in ("static", "ridge", "n4sid", "fir", "auto"):
        made = Translator.fit([(walk, walk)], model=model, caution=0.3 if model == "fir" else None)
        for clip in (walk, slowed(walk, 0.7)):
            stream = made.stream()
            frames = np.stack([stream.step(q) for q in clip.rotations])
            assert angles_deg(frames, made.run(clip).rotations[:, made.outputs]).max() < 1e-5
            again = made.stream()
            alone = np.stack([again.step(q) for q in clip.rotations[:, made.inputs]])
            assert np.array_equal(alone, frames)


def test_a_stream_starts_without_a_jolt(walk: Motion) -> None:
    made = Translator.fit([(walk, walk)], model="n4sid", order=4)
    stream = made.stream()
    # The same frame again and again gives the same answer from the first on.
    level = np.stack([stream.step(walk.rotations[40]) for _ in range(30)])
    assert angles_deg(level, level[:1]).max() < 1e-4
    auto = Translator.fit([(walk, walk)]).stream()
    still = np.stack([auto.step(walk.rotations[40]) for _ in range(60)])
    assert angles_deg(still[1:], still[:-1]).max() < 1.5
    truth = made.run(walk)
    steps = angles_deg(truth.rotations[1:, made.outputs], truth.rotations[:-1, made.outputs]).max(axis=1)
    assert steps[:3].max() <= 2.0 * steps[10:].max()


def test_no_pace_is_strange_where_none_is_known(walk: Motion) -> None:
    made = Translator.fit([(walk, walk)])
    free = replace(made, pace=Pace(made.pace.size, 0.0))
    slow = slowed(walk, 0.6)
    level = replace(made, manner=Manner())
    assert np.array_equal(free.run(slow).rotations, level.run(slow).rotations)


def test_loops_close(walk: Motion) -> None:
    cycle = walk[60:90]
    for model in ("n4sid", "fir", "static"):
        made = Translator.fit([(walk, walk)], model=model)
        once = made.run(cycle, loop=True).rotations[:, made.outputs]
        seam = angles_deg(once[0], once[-1]).max()
        assert seam <= 1.5 * angles_deg(once[1:], once[:-1]).max()


def test_frames_outside_the_training_are_flagged(translator: Translator, walk: Motion) -> None:
    assert not translator.outside(walk).any()
    bent = np.array(walk.rotations)
    leg = walk.skeleton.roles["left_upper_leg"]
    bent[50:55, leg] = quat.multiply(bent[50:55, leg], quat.from_axis_angle(np.array([1.0, 0.0, 0.0]), 1.5))
    strange = walk.replaced(rotations=bent)
    assert np.flatnonzero(translator.outside(strange)).tolist() == [50, 51, 52, 53, 54]
    assert any("5 of" in note and "frame 50" in note for note in translator.run(strange).notes)


def test_it_runs_at_its_own_rate(translator: Translator) -> None:
    assert translator.run(sample("walk", 120.0)).fps == 30.0


def test_saved_and_read_back_it_does_the_same(translator: Translator, walk: Motion, tmp_path: Path) -> None:
    path = tmp_path / "arms.json"
    komadori.save(translator, path)
    back = komadori.load(path)
    assert np.array_equal(back.run(walk).rotations, translator.run(walk).rotations)
    assert back.report.chosen == translator.report.chosen
    assert back.notes == translator.notes
    dynamic = Translator.fit([(walk, walk)], model="n4sid", order=2)
    assert np.array_equal(parse(emit(dynamic), "x").run(walk).rotations, dynamic.run(walk).rotations)


def test_files_from_before_tempo_are_still_read(translator: Translator, walk: Motion) -> None:
    value = json.loads(emit(translator))
    for key in ("manner", "pace_weights", "slowest"):
        value.pop(key)
    for trial in value["report"]["trials"]:
        for key in ("slowed_deg", "swing", "correlation"):
            trial.pop(key)
    value.update(caution=0.4, plain=value["system"])
    back = parse(json.dumps(value).encode(), "old.json")
    assert back.manner == Manner(caution=0.4)
    assert len(back.notes) == 1
    assert back.report.error_deg == translator.report.error_deg
    assert angles_deg(back.run(walk).rotations, translator.run(walk).rotations).mean() < 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v: v["manner"].update(tempo="much"), "tempo"),
        (lambda v: v["manner"].update(joints=[1.0]), "joints"),
        (lambda v: v.update(pace_weights=[1.0]), "pace_weights"),
        (lambda v: v.update(komadori="puppet"), "a komadori translator"),
        (lambda v: v.update(version=2), "version"),
        (lambda v: v.pop("system"), "system"),
        (lambda v: v["system"].update(order=-1), "order"),
        (lambda v: v["system"]["D"].pop(), "system D"),
        (lambda v: v["space_in"]["mean"][0].pop(), "space_in mean"),
        (
            lambda v: v["source"].update(parents=[0] * len(v["source"]["names"])),
            "each parent must come before its children",
        ),
        (lambda v: v.update(inputs=["nose"]), "joints of its skeleton"),
        (lambda v: v.update(fps=0), "fps"),
        (lambda v: v["report"]["trials"][0].update(folds_deg=["x"]), "a number"),
        (lambda v: v.update(flight=10**400), "a number"),
        (lambda v: v.update(pace=[10**400, 1]), "pace"),
        (lambda v: v.update(fps=10**400), "fps"),
        (
            lambda v: v["report"].update(
                trials=[t for t in v["report"]["trials"] if t["candidate"] != v["report"]["chosen"]]
            ),
            "one of the models tried",
        ),
    ],
)
def test_a_broken_file_is_one_clear_error(translator: Translator, change: object, message: str) -> None:
    value = json.loads(emit(translator))
    change(value)  # type: ignore[operator]
    with pytest.raises(FormatError, match=message):
        parse(json.dumps(value).encode(), "arms.json")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_damage_to_a_file_is_a_format_error_or_harmless(data: st.DataObject) -> None:
    made = _small()
    cut = data.draw(st.integers(0, len(made) - 1))
    junk = data.draw(st.binary(max_size=6))
    with contextlib.suppress(FormatError):
        parse(made[:cut] + junk + made[cut + len(junk) :], "x.json")


_KEPT: list[bytes] = []


def _small() -> bytes:
    if not _KEPT:
        motion = wander(tree(4, seed=2), 40, seed=3, speed=0.1)
        _KEPT.append(emit(Translator.fit([(motion, motion)], ["joint 1"], ["joint 2"], model="static")))
    return _KEPT[0]


def test_pairs_of_other_lengths_are_warped_or_refused(walk: Motion) -> None:
    short = walk[:100]
    with pytest.raises(OptionError, match=r"expected as many frames in the output as in the input \(121\), found 100"):
        Translator.fit([(walk, short)], sync=False)
    made = Translator.fit([(walk, walk.taken(np.repeat(np.arange(len(walk)), 2)))], sync=True, model="static")
    assert off_deg(made, walk) < 4.0


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        (["left_wing"], "arms", "inputs: expected a joint such as .* found 'left_wing'"),
        ("legs", "legs", "a joint is both an input and an output"),
        ([], "arms", "at least one joint"),
        (["left_foot", "left_foot"], "arms", "a joint is named twice"),
    ],
)
def test_joints_that_are_not_there_are_named(walk: Motion, inputs: object, outputs: object, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Translator.fit([(walk, walk)], inputs, outputs)


def test_what_cannot_be_learnt_from_is_said(walk: Motion) -> None:
    with pytest.raises(OptionError, match="at least one pair"):
        Translator.fit([])
    with pytest.raises(OptionError, match="train: expected at least 12 frames"):
        Translator.fit([(walk[:5], walk[:5])])
    still = walk.taken(np.zeros(60, dtype=int))
    with pytest.raises(OptionError, match="inputs: the input joints move in no clip"):
        Translator.fit([(still, still)])
    broken = np.array(walk.rotations)
    broken[7, 3] = np.nan
    holes = Motion(walk.skeleton, 30.0, broken, walk.positions)
    with pytest.raises(OptionError, match="pair 0, input: expected finite numbers, found NaN or infinity in frame 7"):
        Translator.fit([(holes, holes)])
    with pytest.raises(
        OptionError, match="fit: expected one of caution, components_in, components_out, lags_s, model, order, ridge, "
    ):
        Translator.fit([(walk, walk)], depth=3)
    with pytest.raises(OptionError, match="model: expected one of"):
        Translator.fit([(walk, walk)], model="deep")


def test_another_rig_is_refused_by_name(translator: Translator, walk: Motion) -> None:
    other = wander(tree(5), 30)
    with pytest.raises(OptionError, match="expected the rig that the translator was fitted for, found no joint"):
        translator.run(other)
    with pytest.raises(OptionError, match="pair 1, input: this clip is of another rig"):
        Translator.fit([(walk, walk), (other, walk)])
    with pytest.raises(OptionError, match="expected rotations of 8 joints"):
        translator.stream().step(np.zeros((3, 4)))


def cmu(name: str) -> Motion:
    return komadori.load(real(f"human_cmu_bvh/{name}.bvh")).prepared(30)


def test_the_papers_experiment_on_cmu_08() -> None:
    """Legs to arms: trained on three walks, run on slow, exaggerated and slow strides."""
    train = [cmu(name) for name in ("08_01", "08_02", "08_03")]
    made = Translator.fit([(clip, clip) for clip in train])
    tests = [cmu(name) for name in ("08_04", "08_07", "08_11")]
    assert np.mean([off_deg(made, clip) for clip in tests]) <= 8.5
    for clip, slow in zip(tests, (True, False, True), strict=True):
        ratio, correlation = swing(made.run(clip).rotations[:, made.outputs], clip.rotations[:, made.outputs])
        assert 0.85 <= ratio <= 1.15
        assert correlation >= 0.9 or not slow


def test_n4sid_follows_the_slow_walks_of_cmu_08() -> None:
    train = [cmu(name) for name in ("08_01", "08_02", "08_03")]
    made = Translator.fit([(clip, clip) for clip in train], model="n4sid")
    assert made.report.radius < 0.9
    for name in ("08_04", "08_11"):
        clip = cmu(name)
        assert swing(made.run(clip).rotations[:, made.outputs], clip.rotations[:, made.outputs])[1] >= 0.85


@pytest.mark.parametrize("name", ["35_01", "02_01"])
def test_people_that_nothing_was_tuned_on_lose_nothing_to_plain_ridge(name: str) -> None:
    """One half of a walk teaches, the other is judged."""
    walked = cmu(name)
    half = len(walked) // 2
    for taught, asked in ((walked[:half], walked[half:]), (walked[half:], walked[:half])):
        auto, ridge = (Translator.fit([(taught, taught)], model=model) for model in ("auto", "ridge"))
        assert off_deg(auto, asked) <= 1.02 * off_deg(ridge, asked)


def test_hind_legs_drive_a_dogs_fore_legs() -> None:
    dog = komadori.load(real("quadruped_mann_dog_bvh_NC/D1_007_KAN01_001.bvh")).prepared(30)[30:]
    made = Translator.fit([(dog[:180], dog[:180])], "hind legs", "fore legs")
    assert off_deg(made, dog[180:]) <= 10.0


def test_a_run_is_another_gait_than_a_walk() -> None:
    run = komadori.load(real("human_bandai_bvh_NC/dataset-1_run_normal_001.bvh")).prepared(30)
    stroll = komadori.load(real("human_bandai_bvh_NC/dataset-1_walk_normal_001.bvh")).prepared(30)
    made = Translator.fit([(stroll, stroll)])
    assert any("not the gait that was learnt" in note for note in made.run(run).notes)
    assert not any("not the gait that was learnt" in note for note in made.run(stroll).notes)
