from __future__ import annotations

import io
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from komadori.errors import OptionError
from komadori.render import png, svg
from komadori.render.drawing import (
    Circle,
    Drawing,
    Item,
    Line,
    Polygon,
    Polyline,
    Rect,
    Text,
    encoded,
    save,
    text_width,
)

SHAPES: tuple[Item, ...] = (
    Rect(0, 0, 200, 120, fill="#ffffff"),
    Rect(10, 10, 60, 30, fill="#ddeeff", colour="#3366aa", line=3),
    Line(10, 60, 190, 60, "#000000", 2),
    Line(10, 70, 190, 70, "#008800", 3, (8, 4)),
    Line(10, 75, 90, 115, "#cc4444", 4),
    Polyline(((100, 110), (120, 80), (140, 110)), "#2266aa", 5),
    Polygon(((90, 10), (150, 10), (120, 50)), fill="#ffdd99", colour="#886600", width=2),
    Circle(170, 30, 18, fill="#ccffcc", colour="#008800", width=3),
)
PICTURE = Drawing(200, 120, SHAPES, "shapes")
WORDS = Drawing(100, 50, (Text(5, 20, "<b>&\"'"), Text(5, 40, "絵コンテ", english="storyboard")), 'a "<title>" & more')


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
@pytest.mark.parametrize("drawing", [PICTURE, WORDS])
def test_the_same_drawing_gives_the_same_bytes(drawing: Drawing, suffix: str) -> None:
    name = "x" + suffix
    assert encoded(drawing, name) == encoded(drawing, name)


def test_an_svg_is_xml_with_its_size_title_and_words() -> None:
    root = ElementTree.fromstring(svg.encoded(WORDS))
    assert root.get("viewBox") == "0 0 100 50"
    texts = ["".join(element.itertext()) for element in root]
    assert texts == ['a "<title>" & more', "<b>&\"'", "絵コンテ"]


def test_a_png_has_the_colours_where_they_belong() -> None:
    image = png.image(PICTURE, 2.0)
    assert image.size == (400, 240)
    for x, y, colour in (
        (40, 25, "#ddeeff"),
        (10, 25, "#3366aa"),
        (100, 60, "#000000"),
        (120, 20, "#ffdd99"),
        (170, 30, "#ccffcc"),
        (170, 12, "#008800"),
        (50, 95, "#cc4444"),
        (120, 81, "#2266aa"),
        (195, 100, "#ffffff"),
        (12, 70, "#008800"),
        (20, 70, "#ffffff"),
    ):
        found = image.getpixel((x * 2, y * 2))
        assert found == tuple(bytes.fromhex(colour[1:])), (x, y)


@pytest.mark.skipif(
    not (shutil.which("rsvg-convert") and shutil.which("pdftoppm")),
    reason="rsvg-convert and pdftoppm, which would draw the other two, are not installed",
)
def test_svg_png_and_pdf_look_alike(tmp_path: Path) -> None:
    for suffix in ("svg", "pdf"):
        save(PICTURE, tmp_path / f"x.{suffix}")
    subprocess.run(["rsvg-convert", "-w", "400", "-o", "svg.png", "x.svg"], cwd=tmp_path, check=True)
    subprocess.run(["pdftoppm", "-r", "144", "-png", "-singlefile", "x.pdf", "pdf"], cwd=tmp_path, check=True)
    ours = np.asarray(png.image(PICTURE, 2.0), dtype=float)
    for other in ("svg.png", "pdf.png"):
        theirs = np.asarray(Image.open(tmp_path / other).convert("RGB"), dtype=float)
        assert theirs.shape == ours.shape
        assert np.abs(theirs - ours).mean() < 1.5, other


def test_a_pdf_holds_all_pages_and_their_words() -> None:
    pypdf = pytest.importorskip("pypdf")
    pages = [PICTURE, Drawing(300, 100, (Text(10, 50, "second page"),))]
    (data,) = encoded(pages, "x.pdf").values()
    read = pypdf.PdfReader(io.BytesIO(data))
    assert [(float(p.mediabox.width), float(p.mediabox.height)) for p in read.pages] == [(200, 120), (300, 100)]
    assert "second page" in read.pages[1].extract_text()
    assert read.metadata.title == "shapes"


def test_several_pages_become_several_files(tmp_path: Path) -> None:
    written = save([PICTURE, WORDS], tmp_path / "a" / "page.svg")
    assert [path.name for path in written] == ["page-1.svg", "page-2.svg"]
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["page-1.svg", "page-2.svg"]
    assert save([PICTURE], tmp_path / "page.SVG") == [tmp_path / "page.SVG"]


def test_japanese_gives_way_to_english_where_no_font_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png, "_japanese_font", lambda: None)
    japanese = Drawing(120, 30, (Text(5, 20, "絵コンテ", english="storyboard"),))
    english = Drawing(120, 30, (Text(5, 20, "storyboard"),))
    assert png.encoded(japanese) == png.encoded(english)
    assert png.plain("Café × 2 – 絵") == "Cafe x 2 - ?"


@pytest.mark.parametrize(("suffix", "module"), [(".png", "PIL"), (".pdf", "reportlab.pdfgen.canvas")])
def test_a_missing_extra_is_named_with_the_command_that_installs_it(
    suffix: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(OptionError, match=r"pip install 'komadori\[pictures\]'"):
        encoded(PICTURE, "x" + suffix)


@pytest.mark.parametrize("name", ["x.jpg", "x", ".svgz"])
def test_unknown_suffixes_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"\.svg, \.png or \.pdf"):
        save(PICTURE, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_nothing_and_too_much_are_refused() -> None:
    with pytest.raises(OptionError, match="drawing: expected at least one page"):
        encoded([], "x.pdf")
    with pytest.raises(OptionError, match="expected a picture that fits into memory"):
        encoded(Drawing(1e6, 1e6, ()), "x.png")


def test_wide_letters_count_as_wide() -> None:
    assert text_width("コマ", 10) == 20
    assert 0 < text_width("ab", 10) < 20


@given(st.text(), st.text())
def test_any_text_makes_a_well_formed_svg(text: str, title: str) -> None:
    root = ElementTree.fromstring(svg.encoded(Drawing(10, 10, (Text(1, 1, text),), title)))
    assert root.tag.endswith("svg")


COORDINATE = st.floats(-50, 250)
POINTS = st.lists(st.tuples(COORDINATE, COORDINATE), min_size=2, max_size=5).map(tuple)
ITEMS = st.one_of(
    st.builds(Line, COORDINATE, COORDINATE, COORDINATE, COORDINATE, dash=st.sampled_from([(), (2.0, 1.0), (0.0, 0.0)])),
    st.builds(Polyline, POINTS, width=st.floats(0.1, 9)),
    st.builds(Polygon, POINTS, fill=st.sampled_from([None, "#aabbcc"]), colour=st.sampled_from([None, "#112233"])),
    st.builds(Rect, COORDINATE, COORDINATE, st.floats(0, 90), st.floats(0, 90), fill=st.just("#aabbcc")),
    st.builds(Circle, COORDINATE, COORDINATE, st.floats(0, 90), colour=st.sampled_from([None, "#112233"])),
    st.builds(Text, COORDINATE, COORDINATE, st.text(max_size=9), anchor=st.sampled_from(["start", "middle", "end"])),
)


@given(st.lists(ITEMS, max_size=4))
def test_every_drawing_can_be_drawn_in_all_three(items: list[Item]) -> None:
    for suffix in (".svg", ".png", ".pdf"):
        assert encoded(Drawing(200, 120, tuple(items)), "x" + suffix, scale=0.5)
