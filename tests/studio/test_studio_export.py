"""Exporting from the studio: the very bytes that the library writes, safe names, and one clear line if it cannot be."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import komadori
from komadori.character import Character
from komadori.characters import character, sample
from komadori.errors import KomadoriError, OptionError
from komadori.formats import LONE_TRACK, encoded, load, load_character, load_sheet, suffixes
from komadori.methods.translate import quadruped
from komadori.motion import Motion
from komadori.pipeline import Step
from komadori.render import drawing, film
from komadori.render.sheets import printed_sheet
from komadori.render.shot import shot_of
from komadori.studio import exporting, working
from komadori.studio.desk import Desk
from komadori.studio.exporting import File, exported, file_name, formats
from komadori.studio.exports import KEPT, Exports
from komadori.studio.messages import Change, EditSheet, Export, SetWind
from komadori.studio.parts.poses import stored
from komadori.studio.parts.puppet import performed
from komadori.studio.recipe import recipe_of
from komadori.studio.scene import HairPart, MethodPart, PuppetKey, PuppetPart, PuppetTake, Scene
from komadori.studio.shelf import Shelf

from staging import staged_sample


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(Shelf(tmp_path / "files"), Scene(motion="sample:walk"))


@pytest.fixture(scope="module")
def girl() -> Character:
    return character("girl")


@pytest.fixture(scope="module")
def walk(girl: Character) -> Motion:
    return staged_sample("walk")


def silent(done: int, total: int) -> None:
    pass


def export(desk: Desk, *given: str, **more: object) -> File:
    ask = Export(*given, **more)
    return exported(desk, desk.scene, ask, silent)


def do(desk: Desk, ask: object) -> None:
    desk.prepare(ask)
    desk.do(ask)


def test_everything_that_the_library_writes_is_offered() -> None:
    offered = {(item.kind, item.suffix) for item in formats()}
    assert {suffix for kind, suffix in offered if kind == "motion"} == set(suffixes("write"))
    assert {suffix for kind, suffix in offered if kind == "character"} == set(suffixes("write_character"))
    assert {suffix for kind, suffix in offered if kind == "sheet"} >= {
        *suffixes("write_sheets"),
        ".pdf",
        ".svg",
        ".png",
    }
    assert {suffix for kind, suffix in offered if kind == "picture"} == set(film.SUFFIXES)
    assert ("recipe", ".toml") in offered


def test_what_is_missing_on_this_machine_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "find_spec", lambda name: None)
    missing = {(item.kind, item.suffix): item.missing.en if item.missing else "" for item in formats()}
    assert "komadori[video]" in missing["picture", ".mp4"]
    assert "komadori[pictures]" in missing["sheet", ".pdf"]
    assert "komadori[usd]" in missing["motion", ".usda"]
    assert missing["motion", ".bvh"] == missing["sheet", ".svg"] == missing["recipe", ".toml"] == ""


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".gltf", ".vmd", ".vrma"])
def test_a_motion_is_the_librarys_bytes(desk: Desk, walk: Motion, suffix: str) -> None:
    do(desk, Change("limited", {"omit": 6, "hold": 20}))
    file = export(desk, "limited", "motion", suffix)
    assert file.name == f"walk-limited{suffix}"
    assert file.data == encoded(komadori.limited(walk, omit=6, hold=20).motion, file.name)


def test_key_poses_and_the_original_are_the_librarys_bytes(desk: Desk, walk: Motion) -> None:
    do(desk, Change("keyposes", {"count": 9}))
    keys = komadori.keyposes(walk, count=9)
    assert export(desk, "keyposes", "motion", ".bvh").data == encoded(keys.motion, "a.bvh")
    assert export(desk, "keyposes", "sheet", ".xdts").data == encoded({LONE_TRACK: keys.sheet}, "a.xdts")
    assert export(desk, "original", "motion", ".bvh").data == encoded(walk, "a.bvh")


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_a_character_carries_the_motion(desk: Desk, walk: Motion, girl: Character, suffix: str, tmp_path: Path) -> None:
    file = export(desk, "limited", "character", suffix)
    wanted = replace(girl, motions={"walk-limited": komadori.limited(walk).motion})
    assert file.data == encoded(wanted, file.name)
    (tmp_path / file.name).write_bytes(file.data)
    read = load_character(tmp_path / file.name)
    assert list(read.motions) == ["walk-limited"]
    assert read.meshes


def test_the_animal_is_exported_with_its_skin(desk: Desk, walk: Motion) -> None:
    horse = character("horse")
    made = quadruped(walk, horse).motion
    assert export(desk, "translate", "motion", ".bvh").data == encoded(made, "a.bvh")
    wanted = encoded(replace(horse, motions={"walk-translate": made}), "a.glb")
    assert export(desk, "translate", "character", ".glb").data == wanted


def test_hair_is_exported_as_the_library_moves_it(desk: Desk, walk: Motion, girl: Character) -> None:
    do(desk, Change("hair", {"on": 2}))
    do(desk, SetWind([0.0, 0.0, 3.0]))
    seconds = len(walk) / walk.fps
    floor_m = komadori.floor(komadori.retarget(sample("walk"), girl).motion, character=girl).height_m
    wanted = komadori.hair(
        girl, motion=walk, wind=(0.0, 0.0, 3.0), fps=24.0, seconds=seconds, on=2, floor_m=floor_m
    ).motion
    read = export(desk, "hair", "motion", ".glb")
    assert read.name == "walk-hair.glb"
    assert read.data == encoded(wanted, "a.glb")


def test_a_puppets_take_is_exported_as_it_plays(tmp_path: Path, walk: Motion, girl: Character) -> None:
    poses = {name: walk.pose(frame) for name, frame in (("first", 0), ("second", 8), ("third", 16))}
    places = {"first": (0.0, 1.0, 0.0), "second": (1.0, 1.0, 0.0), "third": (0.0, 1.0, 1.0)}
    part = PuppetPart(
        keys=[PuppetKey(name, list(places[name]), stored(pose)) for name, pose in poses.items()],
        takes=[PuppetTake("one", [0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0], [0.0, 0.5, 1.0])],
        shown="take:one",
    )
    desk = Desk(Shelf(tmp_path / "files"), Scene(motion="sample:walk", puppet=part))
    _, puppet = desk.results.puppet(desk.scene)
    assert puppet is not None
    wanted, _ = performed(part, puppet.skeleton, 24.0)
    assert len(wanted) == 25
    assert export(desk, "puppet", "motion", ".bvh").data == encoded(wanted, "a.bvh")
    assert export(desk, "puppet", "character", ".glb").data == encoded(
        replace(girl, motions={"walk-puppet": wanted}), "a.glb"
    )


def test_a_puppet_that_plays_nothing_is_told(desk: Desk) -> None:
    with pytest.raises(OptionError, match="plays nothing"):
        export(desk, "puppet", "motion", ".bvh")


def test_hair_that_cannot_move_is_told(tmp_path: Path) -> None:
    bald = Desk(Shelf(tmp_path / "files"), Scene(motion="sample:walk", character="character:mannequin"))
    with pytest.raises(OptionError, match="no hair moves"):
        export(bald, "hair", "motion", ".bvh")


@pytest.mark.parametrize("suffix", [".xdts", ".csv", ".json"])
def test_a_timesheet_is_the_librarys_bytes_and_reads_back(
    desk: Desk, walk: Motion, suffix: str, tmp_path: Path
) -> None:
    sheet = komadori.limited(walk).sheet
    file = export(desk, "limited", "sheet", suffix)
    assert file.data == encoded({LONE_TRACK: sheet}, file.name)
    (tmp_path / file.name).write_bytes(file.data)
    assert load_sheet(tmp_path / file.name) == sheet


@pytest.mark.parametrize(("suffix", "language"), [(".svg", "en"), (".svg", "ja"), (".png", "en")])
def test_a_printed_sheet_is_the_librarys(desk: Desk, walk: Motion, suffix: str, language: str) -> None:
    sheets = {LONE_TRACK: komadori.limited(walk).sheet}
    file = export(desk, "limited", "sheet", suffix, language=language)
    pages = drawing.encoded(printed_sheet(sheets, title="walk-limited", language=language), f"walk-limited{suffix}")
    assert {file.name: file.data} == {path.name: data for path, data in pages.items()}


def test_a_printed_pdf_is_one(desk: Desk) -> None:
    assert export(desk, "limited", "sheet", ".pdf").data.startswith(b"%PDF")


def test_a_sheet_of_several_pages_comes_in_one_file(tmp_path: Path) -> None:
    desk = Desk(Shelf(tmp_path / "files"), Scene(motion="sample:slow-walk"))
    sheet = komadori.limited(staged_sample("slow-walk")).sheet
    pages = drawing.encoded(printed_sheet({LONE_TRACK: sheet}, title="slow-walk-limited"), "slow-walk-limited.svg")
    assert len(pages) > 1
    file = export(desk, "limited", "sheet", ".svg")
    assert file.name == "slow-walk-limited.zip"
    with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {p.name: d for p, d in pages.items()}


def test_sheets_of_the_bodys_parts_are_all_there(desk: Desk, walk: Motion) -> None:
    do(desk, Change("limited", {"layers": "parts"}))
    result = komadori.limited(walk, layers="parts")
    assert result.layers
    assert export(desk, "limited", "sheet", ".json").data == encoded(result.layers, "a.json")
    assert export(desk, "limited", "motion", ".bvh").data == encoded(result.motion, "a.bvh")


def test_what_was_edited_by_hand_is_what_is_exported(desk: Desk, walk: Motion) -> None:
    do(desk, EditSheet("limited", "insert", 5))
    sheet = komadori.Timesheet(24.0, desk.results.sheet(desk.scene, "limited").sheet.source)
    assert export(desk, "limited", "sheet", ".xdts").data == encoded({LONE_TRACK: sheet}, "a.xdts")
    assert export(desk, "limited", "motion", ".bvh").data == encoded(walk.retimed(sheet), "a.bvh")
    assert export(desk, "limited", "recipe", ".toml").notes


@pytest.fixture
def short(tmp_path: Path) -> Desk:
    """A desk with a clip of a few frames, which is quickly drawn."""
    clip = sample("walk")[:6]
    folder = tmp_path / "files" / "0123456789abcdef"
    folder.mkdir(parents=True)
    (folder / "short.bvh").write_bytes(encoded(clip, "short.bvh"))
    return Desk(Shelf(tmp_path / "files"), Scene(motion="drop:0123456789abcdef/short.bvh"))


@pytest.mark.parametrize("suffix", [".gif", ".mp4", ".png"])
def test_a_film_is_the_librarys(short: Desk, girl: Character, suffix: str) -> None:
    clip = short.results.stage.ready(short.scene.motion, short.scene.character).motion
    shot = shot_of(clip, girl, camera="side", style="line", size=(64, 48))
    file = export(short, "original", "picture", suffix, camera="side", style="line", width=64, height=48)
    match suffix:
        case ".gif":
            assert file.data == film.gif(shot.pictures(), shot.fps)
        case ".png":
            assert file.data == film.png(film.poster(shot))
        case _:
            # An encoder with threads may share its work otherwise the next time: the pictures count, not the bytes.
            ours, theirs = (decoded(data) for data in (file.data, film.video(shot.pictures(), shot.fps, "mp4")))
            assert ours.shape == theirs.shape == (len(clip), 48, 64, 3)
            assert np.abs(ours - theirs).mean() < 1.0


def decoded(data: bytes) -> np.ndarray:
    """(F, H, W, 3) the pictures of a film."""
    av = pytest.importorskip("av")
    with av.open(io.BytesIO(data)) as container:
        return np.stack([frame.to_ndarray(format="rgb24").astype(float) for frame in container.decode(video=0)])


def test_pictures_one_by_one_are_the_films(short: Desk, girl: Character) -> None:
    clip = short.results.stage.ready(short.scene.motion, short.scene.character).motion
    shot = shot_of(clip, girl, size=(64, 48))
    file = export(short, "original", "frames", ".zip", width=64, height=48)
    with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
        found = [archive.read(name) for name in sorted(archive.namelist())]
    assert found == [film.png(picture) for picture in shot.pictures()]


def test_a_film_tells_how_far_it_is_and_can_be_given_up(short: Desk) -> None:
    ask = Export("original", "picture", ".gif", width=64, height=48)
    steps = list(working.steps(lambda progress: exported(short, short.scene, ask, progress)))
    assert isinstance(steps[-1], working.Finished)
    counted = [step.done for step in steps[:-1] if isinstance(step, working.Step)]
    assert counted == sorted(counted)
    assert counted[-1] == 5

    class Enough(BaseException):
        pass

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise Enough

    with pytest.raises(Enough):
        exported(short, short.scene, ask, stop)


@pytest.mark.parametrize(
    "given",
    [
        ("limited", "motion", ".c3d"),
        ("limited", "motion", ".png"),
        ("limited", "motion", "/../../etc/passwd"),
        ("limited", "sheet", ".bvh"),
        ("original", "sheet", ".xdts"),
        ("translate", "sheet", ".xdts"),
        ("translate", "recipe", ".toml"),
        ("limited", "picture", ".exe"),
    ],
)
def test_what_cannot_be_written_is_one_clear_line(desk: Desk, given: tuple[str, str, str]) -> None:
    with pytest.raises(KomadoriError) as error:
        export(desk, *given)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "more",
    [{"width": 0}, {"height": 10**6}, {"width": 63, "height": 48}, {"camera": "ceiling"}, {"style": "oil"}],
)
def test_pictures_that_cannot_be_taken_are_refused(short: Desk, more: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        export(short, "original", "picture", ".mp4", **{"width": 64, "height": 48, **more})


@given(st.text(max_size=300), st.sampled_from(["original", "limited", "translate"]))
def test_a_files_name_can_stand_in_any_folder(key: str, what: str) -> None:
    name = file_name(Scene(motion=key), Export(what, "motion", ".bvh"))
    assert re.fullmatch(r"[\w-]{1,100}\.bvh", name)


def test_files_wait_a_while_under_keys_that_cannot_be_guessed() -> None:
    exports = Exports()
    told = [exports.put(File(f"{n}.bvh", bytes([n]))) for n in range(KEPT + 1)]
    keys = [one.address.removeprefix("api/export/") for one in told]
    assert len(set(keys)) == KEPT + 1
    assert all(len(key) >= 16 for key in keys)
    assert exports.get(keys[0]) is None
    assert [exports.get(key) for key in keys[1:]] == [File(f"{n}.bvh", bytes([n])) for n in range(1, KEPT + 1)]
    assert exports.get("../../etc/passwd") is None


# ---- the recipe --------------------------------------------------------------------------------------------------------


def test_a_recipe_holds_the_steps_and_what_was_changed() -> None:
    scene = Scene(parts={"limited": MethodPart({"omit": 6, "solver": "optimal", "pins": [3, 9], "keep_length": False})})
    recipe, notes = recipe_of(scene, "limited")
    assert recipe.steps == (
        Step("prepare", fps=24.0),
        Step("retarget"),
        Step("limited", omit=6, solver="optimal", pins=[3, 9], keep_length=False),
    )
    assert notes == ()


def test_a_recipe_of_hair_names_wind_and_the_chains_that_move() -> None:
    scene = Scene(hair=HairPart({"wavelength": 2.0, "seconds": 3.0}, wind=[1.0, 0.0, -2.5], off=["skirt"]))
    recipe, _ = recipe_of(scene, "hair", ["hair", "skirt", "ribbon"])
    assert recipe.steps[-1] == Step("hair", wavelength=2.0, wind=[1.0, 0.0, -2.5], chains=["hair", "ribbon"])


def test_a_recipe_leaves_out_what_is_not_there() -> None:
    scene = Scene(character="", parts={"keyposes": MethodPart({"count": None, "tolerance": 0.25})})
    assert recipe_of(scene, "keyposes")[0].steps == (Step("prepare", fps=24.0), Step("keyposes", tolerance=0.25))
    assert [step.use for step in recipe_of(scene, "original")[0].steps] == ["prepare"]


def test_the_exported_recipe_makes_what_the_studio_shows(desk: Desk) -> None:
    do(desk, Change("limited", {"omit": 6, "max_exposures": 2}))
    text = export(desk, "limited", "recipe", ".toml").data.decode()
    made = komadori.Recipe.parse(text).run(
        desk.shelf.motion(desk.scene.motion), desk.shelf.character(desk.scene.character)
    )
    assert made.sheet == desk.results.limited(desk.scene).sheet
    np.testing.assert_array_equal(made.motion.rotations, desk.results.limited(desk.scene).motion.rotations)


def test_an_exported_bvh_is_read_back_as_it_was(desk: Desk, tmp_path: Path, walk: Motion) -> None:
    file = export(desk, "limited", "motion", ".bvh")
    (tmp_path / file.name).write_bytes(file.data)
    read = load(tmp_path / file.name)
    wanted = komadori.limited(walk).motion
    order = [read.skeleton.names.index(name) for name in wanted.skeleton.names]
    np.testing.assert_allclose(read.world_positions()[:, order], wanted.world_positions(), atol=1e-4)
