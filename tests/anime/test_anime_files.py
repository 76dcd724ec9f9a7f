"""The files of an animation: each says the same as the result, plays as it should, and needs nothing else."""

from __future__ import annotations

import io
import json
import re
import struct
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import komadori
from komadori import KomadoriError, OptionError, PipelineResult, Recipe, Step, look, quat
from komadori.anime.files import ExportOptions, Made, file_of, files_of, listed, names_of
from komadori.anime.pair import pair_of
from komadori.anime.poster import in_place, poster
from komadori.anime.report import numbers
from komadori.camera import Camera
from komadori.characters import character, sample
from komadori.render import film as films
from komadori.words import Note, told

av = pytest.importorskip("av", reason="films need PyAV")

GIRL = character("girl")
SMALL = ExportOptions("kick", also=(".bvh", ".vmd", ".vrma"), size=(48, 64))


@pytest.fixture(scope="module")
def result() -> PipelineResult:
    return look("tv").run(sample("kick")[40:70], GIRL)


@pytest.fixture(scope="module")
def made(result: PipelineResult) -> Made:
    return files_of(result, SMALL)


@pytest.fixture(scope="module")
def folder(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("anime")
    for name, data in made.files.items():
        (where / name).write_bytes(data)
    return where


def test_every_promised_file_is_there_and_no_other(made: Made) -> None:
    assert sorted(made.files) == sorted(names_of(SMALL))
    assert made.notes == ()


def test_the_same_result_makes_the_same_bytes(made: Made) -> None:
    again = files_of(look("tv").run(sample("kick")[40:70], GIRL), SMALL)
    assert {name: data == made.files[name] for name, data in again.files.items()} == dict.fromkeys(made.files, True)


def test_the_film_plays_anywhere_and_as_long_as_the_clip(result: PipelineResult, made: Made) -> None:
    with av.open(io.BytesIO(made.files["kick.mp4"])) as container:
        stream = container.streams.video[0]
        pictures = list(container.decode(video=0))
        assert stream.codec_context.name == "h264"
        assert stream.average_rate == 24
        assert len(pictures) == len(result.motion) == 30
        assert {picture.format.name for picture in pictures} == {"yuv420p"}
        assert float(stream.duration * stream.time_base) == pytest.approx(30 / 24)
        assert pictures[0].width == 2 * 48
        assert pictures[0].height > 64  # titles above, sheet below


def test_a_film_without_gpl_code_takes_the_place_of_the_other(result: PipelineResult) -> None:
    options = ExportOptions("walk", size=(64, 64), film="webm")
    made = files_of(result, options)
    assert list(made.files) == names_of(options)
    assert "walk.webm" in made.files
    with av.open(io.BytesIO(made.files["walk.webm"])) as film:
        assert film.streams.video[0].codec_context.name == "vp9"
    assert b"data:video/webm;base64," in made.files["report.html"]


def test_a_pyav_without_x264_makes_a_webm_and_a_note(result: PipelineResult, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(films.CODECS, "mp4", ("libopenh264", {}))
    options = ExportOptions("kick", size=(64, 64))
    made = files_of(result, options)
    assert list(made.files) == names_of(options)
    assert "kick.webm" in made.files
    assert made.notes == (
        "The installed PyAV cannot encode .mp4 films, so the film is kick.webm. Use --film webm to ask for that.",
    )
    with pytest.raises(KomadoriError, match=r"has no H[.]264 encoder"):
        file_of(result, options, ".mp4")
    with av.open(io.BytesIO(file_of(result, options, ".webm"))) as film:
        assert film.streams.video[0].codec_context.name == "vp9"


def test_the_film_shows_both_before_one_camera_and_holds_are_held(result: PipelineResult) -> None:
    # Without a face, which is its own cel over what is held.
    pair = pair_of(result, "three-quarter", "toon", (48, 64), face=False)
    assert np.array_equal(pair.before.camera.position, pair.after.camera.position)
    assert pair.before.ground == pair.after.ground
    pictures = list(pair.pictures(Note("captured"), Note("look: {name}", name="tv")))
    top = pictures[0].shape[0] - 64 - 34
    sides = np.array([picture[top : top + 64] for picture in pictures])
    for frame, (left, right) in enumerate(zip(pair.before.pictures(), pair.after.pictures(), strict=True)):
        # But for the line between the two.
        assert np.array_equal(sides[frame, :, :47], left[:, :47])
        assert np.array_equal(sides[frame, :, 49:], right[:, 1:])
    held = np.flatnonzero(np.diff(result.sheet.source) == 0)
    assert len(held) > 5
    assert (sides[held, :, 49:] == sides[held + 1, :, 49:]).all()
    assert not (sides[held, :, :47] == sides[held + 1, :, :47]).all()


@pytest.mark.parametrize("view", ["front", "follow"])
def test_a_result_that_became_shorter_waits_for_the_original(view: str) -> None:
    short = Recipe([Step("limited", omit=5, keep_length=False)]).run(sample("kick")[40:70], GIRL)
    pair = pair_of(short, view, "toon", (32, 32))
    assert len(pair.before) == len(pair.after) == len(pair.sheet) == 30
    assert (pair.sheet.source[24:] == short.sheet.source[-1]).all()


def test_a_camera_of_the_users_own_is_taken_as_it_is(result: PipelineResult) -> None:
    own = Camera([0.0, 1.0, 6.0], [0.0, 1.0, 0.0])
    pair = pair_of(result, own, "toon", (32, 32))
    assert pair.before.camera is own
    assert pair.after.camera is own


def test_the_animation_comes_back_from_its_files(result: PipelineResult, folder: Path) -> None:
    glb = komadori.load(folder / "kick.glb")
    away = np.abs(glb.world_positions() - result.motion.world_positions())
    assert len(glb) == len(result.motion)
    assert away.max() < 1e-5
    assert len(komadori.load(folder / "kick.bvh")) == 30
    assert komadori.load(folder / "kick.xdts").keys() == result.sheets.keys()
    assert komadori.load(folder / "kick.xdts")["A"].runs()[3].length == result.sheet.runs()[3].length


def test_players_switch_drawings_and_never_blend_them(tmp_path: Path) -> None:
    result = look("film").run(sample("kick")[40:70], GIRL)
    assert list(result.sheets) == ["A", "B"]
    data = files_of(result, ExportOptions("kick", size=(16, 16))).files["kick.glb"]
    length = struct.unpack_from("<I", data, 12)[0]
    animation = json.loads(data[20 : 20 + length])["animations"]
    assert [one["name"] for one in animation] == ["kick"]
    assert {sampler["interpolation"] for sampler in animation[0]["samplers"]} == {"STEP"}


def test_mikumikudance_shows_only_drawings(result: PipelineResult, folder: Path) -> None:
    shown = komadori.load(folder / "kick.vmd")
    assert shown.fps == 30.0
    assert len(shown) == 37  # 30 frames at 24 are 37 at 30
    hand = shown.world_positions()[:, shown.skeleton.roles["left_hand"]]
    # As many different places as drawings, or fewer: none lies between two.
    assert len(np.unique(np.round(hand, 5), axis=0)) <= result.drawings


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.kinds: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.kinds.add(tag)
        self.addresses += [value or "" for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.kinds.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_report_needs_nothing_but_itself(made: Made) -> None:
    text = made.files["report.html"].decode("utf-8")
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert not tags.kinds & {"script", "link", "iframe", "object", "embed", "base"}
    beside = {"./kick.glb", "./kick.bvh", "./kick.vmd", "./kick.vrma", "./kick.xdts", "./kick.pdf", "./kick.mp4", "./poster.png"}  # fmt: skip
    assert {address for address in tags.addresses if not address.startswith("data:")} == beside
    assert set(re.findall(r"https?://[^\"' ]*", text)) <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in text
    assert "url(" not in text


def test_the_report_tells_the_numbers_in_both_languages(result: PipelineResult, made: Made) -> None:
    text = made.files["report.html"].decode("utf-8")
    for label, value in numbers(result):
        assert str(label) in text
        assert str(value) in text
    japanese = (
        files_of(result, ExportOptions("kick", size=(16, 16), language="ja")).files["report.html"].decode("utf-8")
    )
    assert '<html lang="ja">' in japanese
    for label, value in numbers(result):
        assert told(label, "ja") in japanese
        assert told(value, "ja") in japanese
    assert "テレビ：" in japanese


def test_names_and_recipes_cannot_write_html() -> None:
    evil = Recipe([Step("limited")], about='<script>alert("{0}")</script>', name="<i>")
    result = evil.run(sample("kick")[40:52])
    text = files_of(result, ExportOptions('<b>"&', size=(16, 16))).files["report.html"].decode("utf-8")
    assert "<script" not in text
    assert "<b>" not in text
    assert "<i>" not in text
    assert "&lt;script&gt;" in text


@pytest.mark.parametrize(
    ("missing", "gone"),
    [
        (("av",), ["kick.mp4"]),
        (("reportlab",), ["kick.pdf"]),
        (("PIL",), ["kick.mp4", "poster.png"]),
        (("PIL", "av", "reportlab"), ["kick.mp4", "kick.pdf", "poster.png"]),
    ],
)
def test_what_a_missing_library_cannot_make_is_told(
    result: PipelineResult, monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...], gone: list[str]
) -> None:
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    made = files_of(result, SMALL)
    assert sorted(set(names_of(SMALL)) - set(made.files)) == gone
    assert made.notes
    assert all("pip install 'komadori[video]'" in note for note in made.notes)
    text = made.files["report.html"].decode("utf-8")
    assert all(str(note).replace("'", "&#x27;") in text for note in made.notes)
    assert all(f"./{name}" not in text for name in gone)


@pytest.mark.parametrize(
    "steps",
    [
        [Step("exaggerate")],
        [Step("keyposes", count=4)],
        [Step("limited", layers="parts"), Step("hair")],
        [Step("prepare", fps=12), Step("limited")],
    ],
    ids=["no timing", "key poses", "parts", "12 fps"],
)  # fmt: skip
def test_any_recipe_makes_all_files(steps: list[Step]) -> None:
    options = ExportOptions("kick", size=(16, 16))
    result = Recipe(steps).run(sample("kick")[40:60], GIRL)
    assert sorted(files_of(result, options).files) == sorted(names_of(options))


def test_a_skeleton_alone_and_a_clip_of_one_frame_make_all_files() -> None:
    options = ExportOptions("kick", size=(16, 16))
    for clip in (sample("kick")[:1], sample("kick")[40:44]):
        assert sorted(files_of(look("snappy").run(clip), options).files) == sorted(names_of(options))


def test_one_format_that_cannot_hold_it_does_not_cost_the_other_files() -> None:
    """A VRM animation needs a body that stands at rest; the sheet, the film and the GLB do not."""
    kick = sample("kick")[40:48]
    lying = quat.rotate(np.array([0.5**0.5, 0.0, 0.0, 0.5**0.5]), kick.skeleton.offsets)
    body = replace(kick.skeleton, offsets=lying)
    wish = ExportOptions("kick", also=(".bvh", ".vrma", ".vmd"), size=(16, 16))
    made = files_of(look("tv").run(kick.with_skeleton(body)), wish)
    assert sorted(made.files) == sorted(set(names_of(wish)) - {"kick.vrma"})
    (note,) = made.notes
    assert note.startswith("Could not write kick.vrma: ")
    assert "komadori retarget" in note
    assert "Could not write kick.vrma" in made.files["report.html"].decode()


def test_a_motion_in_which_nothing_moves_is_not_filmed() -> None:
    dead = sample("kick").taken(np.zeros(24, dtype=int))
    with pytest.raises(OptionError, match="motion: nothing moves; to draw a pose, use komadori render"):
        look("tv").run(dead, GIRL)


def test_a_poster_stands_the_drawings_in_rows(result: PipelineResult) -> None:
    picture = poster(result, title="kick", view="front", style="toon", language="en")
    again = poster(result, title="kick", view="front", style="toon", language="en")
    assert picture.shape[1:] == (1800, 3)
    assert np.array_equal(picture, again)
    paper = picture[2, 2]
    assert (picture[:, :8] == paper).mean() > 0.99
    # No figure is cut: the outermost columns hold paper, or a shadow at most.
    walk = poster(look("tv").run(sample("walk"), GIRL), title="walk", view="side", style="toon", language="ja")
    assert (walk[:, -4:] == paper).mean() > 0.9


def test_figures_of_a_poster_stand_where_the_first_one_does() -> None:
    walk = sample("walk")
    hips = walk.skeleton.roles["hips"]
    placed = in_place(walk).world_positions()[:, hips]
    assert np.ptp(walk.world_positions()[:, hips, 2]) > 1.0
    assert np.ptp(placed[:, ::2], axis=0).max() < 1e-9
    np.testing.assert_allclose(placed[:, 1], walk.world_positions()[:, hips, 1])


def test_more_formats_are_named_by_suffix() -> None:
    assert listed("") == ()
    assert listed(" bvh, .VRMA ,glb,bvh") == (".bvh", ".vrma")
    with pytest.raises(OptionError, match=r"also: expected formats among bvh, .* found 'doc'"):
        listed("bvh,doc")


def test_a_format_that_cannot_hold_it_is_named() -> None:
    made = files_of(look("tv").run(sample("kick")[40:52]), ExportOptions("kick", also=(".vrm",), size=(16, 16)))
    assert "kick.vrm" not in made.files
    assert [note for note in made.notes if "Could not write kick.vrm:" in note]


def test_a_film_too_large_for_a_page_lies_beside_it(result: PipelineResult, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("komadori.anime.report.MOST_EMBEDDED", 1000)
    made = files_of(result, ExportOptions("kick", size=(16, 16)))
    text = made.files["report.html"].decode("utf-8")
    assert "<video" not in text
    assert "data:image/png" in text
    assert 'href="./kick.mp4"' in text


def test_progress_is_told_while_the_film_is_drawn(result: PipelineResult) -> None:
    told: list[Note] = []
    files_of(result, ExportOptions("kick", size=(16, 16)), told.append)
    assert told[0] == "writing the animation and its sheet"
    assert told[1:4] == [f"drawing the film: picture {n} of 30" for n in (1, 13, 25)]
    assert told[-1] == "writing the report"
