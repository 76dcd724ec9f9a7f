"""Recipes: what can be written is read back the same, and what is wrong is named with its line and what is allowed."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import komadori
from komadori import FormatError, OptionError, Recipe, Step, look
from komadori.camera import Camera, camera_of
from komadori.characters import sample
from komadori.methods.limited import LimitedResult
from komadori.pipeline import LOOKS, steps
from komadori.pipeline.looks import look_text
from komadori.pipeline.steps import step_parameters
from komadori.words_ja import JAPANESE


def wrong(text: str) -> str:
    with pytest.raises(FormatError) as caught:
        Recipe.parse(text, "my.toml")
    message = str(caught.value)
    assert message.startswith("my.toml")
    assert "\n" not in message
    return message


def test_a_recipe_is_read_in_its_order() -> None:
    text = 'about = "x"\n[[step]]\nuse = "plant"\n\n[[step]]\nuse = "limited"\nomit = 4\npins = [3, 9]\n'
    recipe = Recipe.parse(text, "folder/my.toml")
    assert recipe == Recipe([Step("plant"), Step("limited", omit=4, pins=(3, 9))], about="x")
    assert recipe.name == "my"
    assert recipe.steps[1].options().omit == 4


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ('[[step]]\nuse = "limted"\n', "line 2", "one of clean, prepare, retarget, floor, exaggerate, plant, hands, limited, retime, keyposes, hair"),
        ('[[step]]\nuse = "limited"\nomitt = 4\n', "line 3", "a parameter of limited: one of omit, hold,"),
        ('[[step]]\nuse = "limited"\n\n# why\nomit = "four"\n', "line 5", "omit to be a whole number, found 'four'"),
        ('[[step]]\nuse = "limited"\nomit = 4.5\n', "line 3", "whole number"),
        ('[[step]]\nuse = "limited"\nomit = true\n', "line 3", "whole number"),
        ('[[step]]\nuse = "limited"\nomit = -1\n', "line 3", "omit to be a number between 0 and 1e+06 frames, found -1"),
        ('[[step]]\nuse = "limited"\nsolver = "best"\n', "line 3", "greedy, literal, optimal, optimal-free, uniform"),
        ('[[step]]\nuse = "limited"\nsolver = 3\n', "line 3", "greedy, literal, optimal, optimal-free, uniform"),
        ('[[step]]\nuse = "limited"\npins = 3\n', "line 3", "a list such as [12, 40]"),
        ('[[step]]\nuse = "limited"\npins = [\n 1,\n -2,\n]\n', "line 6", "whole numbers, 0 or more"),
        ('[[step]]\nuse = "limited"\nactions = 1\n', "line 3", "actions to be true or false"),
        ('[[step]]\nuse = "exaggerate"\namount = 9\n', "line 3", "between 0 and 5"),
        ('[[step]]\nuse = "exaggerate"\namount = nan\n', "line 3", "finite"),
        ('[[step]]\nuse = "exaggerate"\namount = inf\n', "line 3", "finite"),
        ('[[step]]\nuse = "retarget"\nscale = 1e9\n', "line 3", "between 0.001 and 1000"),
        ('[[step]]\nuse = "retarget"\ncharacter = "girl"\n', "line 3", "one of plant_feet, scale, ground"),
        ('[[step]]\nuse = "hair"\nwind = [1, 2]\n', "line 3", "three finite numbers"),
        ('[[step]]\nuse = "hair"\nchains = "hair"\n', "line 3", 'a list such as ["hair"]'),
        ('[[step]]\nuse = "hair"\nchains = [1]\n', "line 3", "names"),
        ('[[step]]\nuse = "hair"\nseconds = 2\n', "line 3", "a parameter of hair"),
        ('[[step]]\nuse = "hair"\nk = 0.5\n', "line 3", "expected wavelength, found 'k'; k is called wavelength now"),
        ('[[step]]\nuse = "keyposes"\nvelocity_weight = false\n', "line 3", "balanced"),
        ('[[step]]\nuse = "keyposes"\ncount = 4\ntolerance = 0.1\n', "line 2", "give either count or tolerance, not both"),
        ('[[step]]\nuse = "prepare"\nfps = 0\n', "line 3", "between 1 and 1000 fps"),
        ('[[step]]\nomit = 4\n', "line 1", 'use = "..."'),
        ("[[step]]\nuse = 4\n", "line 2", "one of clean, prepare"),
        ('step = [{use = "plant"},\n {use = "x"}]\n', "line 2", "one of clean, prepare"),
        ('step = "limited"\n', "line 1", "[[step]]"),
        ('[step]\nuse = "limited"\n', "line 1", "[[step]]"),
        ("steps = []\n", "line 1", "one of about, step"),
        ('about = "x"\n[limited]\nomit = 4\n', "line 2", "one of about, step"),
        ("about = 3\n", "line 1", "one line"),
        ('about = "a\\nb"\n', "line 1", "one line"),
        ('[[step]]\nuse = "limited"\nomit = 4\nomit = 5\n', "line 4", "TOML"),
        ('[[step]\nuse = "limited"\n', "line 1", "TOML"),
        ('[[step]]\nuse = "limited\n', "line 2", "TOML"),
        ("", "", "the recipe has no [[step]]"),
        ("# nothing\n", "", "the recipe has no [[step]]"),
        ("step = []\n", "", "the recipe has no [[step]]"),
        ("x = " + "[" * 20_000, "", "nested too deeply"),
        ("x = " + "1" * 5_000, "", "TOML"),
        ("\n" * 700, "", "at most 600 lines"),
        ('[[step]]\nuse = "hair"\n' * 40, "", "at most 32 steps"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(text: str, place: str, says: str) -> None:
    message = wrong(text)
    assert says in message
    # The place is a line, and the parameter in it if there is one.
    assert message.startswith((f"my.toml, {place}: ", f"my.toml, {place}, ") if place else "my.toml")


@pytest.mark.parametrize(
    ("uses", "line", "says"),
    [
        (("limited", "exaggerate"), 4, "only hair after limited"),
        (("limited", "keyposes"), 4, "only hair after limited"),
        (("plant", "prepare"), 4, "prepare as the first step"),
        (("plant", "retarget"), 4, "retarget before"),
        (("hair", "limited", "hair"), 6, "only one step hair"),
        (("plant", "plant"), 4, "only one step plant"),
    ],
)
def test_an_order_that_makes_no_sense_is_refused(uses: tuple[str, ...], line: int, says: str) -> None:
    text = "".join(f'[[step]]\nuse = "{use}"\n' for use in uses)
    assert f"my.toml, line {line}: expected {says}" in wrong(text)
    with pytest.raises(OptionError, match=says):
        Recipe([Step(use) for use in uses])


@pytest.mark.parametrize(("old", "new"), [("k", "wavelength"), ("s", "calm"), ("p", "stiffness"), ("a", "size")])
def test_hairs_letters_are_refused_with_the_name_that_they_have_now(old: str, new: str) -> None:
    with pytest.raises(OptionError, match=f"hair: {old} is called {new} now"):
        Step("hair", **{old: 1.0})
    assert getattr(Step("hair", **{new: 1.0}).options(), new) == 1.0


def test_a_line_is_found_where_a_string_looks_like_a_step() -> None:
    text = "about = '[[step]] '\n[[ 'step' ]]\n\"use\" = 'plant'\n[[step]]\nuse='limited'\nomit.x = 4\n"
    assert "my.toml, line 6:" in wrong(text)
    assert "my.toml, line 3:" in wrong("# a \u2028\n[[step]]\nuse = 'x'\n")


def test_files_are_read_as_editors_write_them(tmp_path: Path) -> None:
    path = tmp_path / "look.toml"
    path.write_bytes(b"\xef\xbb\xbf" + b'[[step]]\r\nuse = "limited"\r\n')
    assert komadori.load(path) == Recipe([Step("limited")])
    path.write_bytes(b'[[step]]\nuse = "\xff"\n')
    with pytest.raises(FormatError, match="line 2: this is not UTF-8 text"):
        komadori.load(path)
    path.write_bytes(b"#" * 40_000)
    with pytest.raises(FormatError, match="at most 32,768 bytes"):
        komadori.load(path)
    with pytest.raises(FormatError, match="File not found"):
        komadori.load(tmp_path / "none.toml")


PIECES = ["[[step]]", "use", "=", '"limited"', '"hair"', "omit", "4", "\n", "wind", "[1,2,3]", "about", "'"]


@given(st.text(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join))
def test_any_text_gives_a_recipe_or_one_clear_line(text: str) -> None:
    try:
        recipe = Recipe.parse(text, "my.toml")
    except FormatError:
        assert wrong(text)
    else:
        assert Recipe.parse(recipe.toml()) == recipe


def test_every_parameter_of_every_step_comes_back_from_a_file() -> None:
    for use, method in steps().items():
        for name, item in step_parameters(method).items():
            examples = [*item.choices, *([item.low, item.high] if item.kind in (int, float) else [])]
            if item.reads == "vector":
                examples = [(0.5, -1.0, 1e-9)]
            elif item.reads == "camera":
                examples = [{"position": [0.0, 1.0, 4.0], "target": [0, 1, 0], "fov_deg": 30}]
            elif item.reads == "names":
                examples = [("hair", 'with "quotes" \\ and 髪')]
            elif isinstance(item.default, tuple):
                examples = [(), (0, 7)]
            elif item.kind is bool:
                examples = [True, False]
            for value in examples:
                given = {name: int(value) if item.kind is int else value}
                recipe = Recipe([Step(use, **given)], about='髪が\u3000"なびく" \\')
                again = Recipe.parse(recipe.toml())
                assert again == recipe
                assert hash(again) == hash(recipe)
                assert again.toml() == recipe.toml()


def test_a_step_of_code_may_hold_numpys_numbers() -> None:
    step = Step("limited", omit=np.int64(4), pins=[np.int32(2)], hold_share=np.float64(0.5))
    assert step == Step("limited", omit=4, pins=(2,), hold_share=0.5)
    assert pickle.loads(pickle.dumps(step)) == step
    recipe = Recipe([step])
    assert pickle.loads(pickle.dumps(recipe)) == recipe
    assert repr(Step("exaggerate", amount=1)) == "Step('exaggerate', amount=1.0)"


def test_a_step_offers_what_its_method_does() -> None:
    for method in steps().values():
        offered = set(step_parameters(method))
        assert {item.name for item in method.parameters if item.faces and item.recipe} <= offered
        assert not offered & {"character", "motion", "weights"}


@pytest.mark.parametrize("name", LOOKS)
def test_looks_are_read_and_told_in_both_languages(name: str) -> None:
    recipe = look(name)
    assert recipe.name == name
    assert look_text(name).startswith("# ")
    assert recipe.about in JAPANESE
    assert Recipe.parse(recipe.toml()) == recipe


def test_an_unknown_look_is_named_with_those_there_are() -> None:
    with pytest.raises(OptionError, match="look: expected one of tv, film, snappy, subtle, found 'tvv'"):
        look("tvv")


@pytest.mark.parametrize("digits", [30, 400, 4000])
@pytest.mark.parametrize("name", ["hold_share", "omit", "pins", "max_drift", "stand_out"])
def test_numbers_of_any_length_are_an_error_of_the_file(name: str, digits: int) -> None:
    for value in ("9" * digits, "-" + "9" * digits):
        told = f"[{value}]" if name == "pins" else value
        with pytest.raises((FormatError, OptionError)) as caught:
            _limited_by(f'[[step]]\nuse = "limited"\n{name} = {told}\n')
        assert len(str(caught.value)) < 700


def _limited_by(recipe: str) -> None:
    komadori.limited(komadori.sample("pitch")[:6], **dict(Recipe.parse(recipe).steps[0].given))


VIEW = {"position": [0.0, 1.0, 4.0], "target": [0.0, 1.0, 0.0], "fov_deg": 30.0}


def test_steps_are_measured_in_the_shots_camera_or_in_the_recipes_own() -> None:
    clip, camera = sample("pitch"), camera_of(VIEW)
    plain = Recipe([Step("limited", omit=4, hold=33)])
    own = Recipe([Step("limited", omit=4, hold=33, camera=VIEW)])
    wanted = komadori.limited(clip, omit=4, hold=33, camera=camera).sheet.source
    world = komadori.limited(clip, omit=4, hold=33).sheet.source
    assert not np.array_equal(wanted, world)

    def shown(recipe: Recipe, seen: Camera | None) -> list[int]:
        result = recipe.run(clip, camera=seen)
        assert isinstance(result.timing, LimitedResult)
        return result.timing.before_holds.source.tolist()

    measured = [shown(plain, camera), shown(own, None), shown(own, camera_of({**VIEW, "position": [4.0, 1.0, 0.0]}))]
    assert measured[0] == measured[1] == measured[2] != shown(plain, None)
    assert Recipe.parse(own.toml()) == own
    assert "camera = { position = [0.0, 1.0, 4.0], target = [0.0, 1.0, 0.0]" in own.toml()


def test_a_moving_camera_of_another_length_does_not_count_and_is_told() -> None:
    moving = Camera(np.linspace([0.0, 1.0, 4.0], [1.0, 1.0, 4.0], 5), np.array([0.0, 1.0, 0.0]))
    notes = Recipe([Step("limited", omit=4)]).run(sample("pitch"), camera=moving).notes
    assert any("The camera moves for 5 frames and the clip has 129" in str(note) for note in notes)
    with pytest.raises(OptionError, match="a still camera"):
        Step("limited", camera=moving)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("camera = 3", '"position" and "target"'),
        ("camera = { position = [0, 0] , target = [0, 0, 0] }", "x, y, z"),
        ("camera = { position = [0, 0, 1] }", '"position" and "target"'),
        ("camera = { position = [0, 0, 1], target = [0, 0, 0], zoom = 2 }", '"position" and "target"'),
        ('camera = { position = "here", target = [0, 0, 0] }', "values that are not numbers"),
        ("camera = { position = [0, 0, 1], target = [0, 0, 0], fov_deg = 500 }", "degrees"),
    ],
)
def test_a_wrong_camera_is_told_with_its_line(text: str, told: str) -> None:
    with pytest.raises(FormatError, match="line 3") as caught:
        Recipe.parse(f'[[step]]\nuse = "limited"\n{text}\n', "my.toml")
    assert told in str(caught.value)
