"""The sheets that studios exchange: layouts by hand, round trips, files as other programs write them, and broken ones."""

from __future__ import annotations

import json
import random
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori.cli import main
from komadori.cut import Cue, Cut, changes, numbered
from komadori.errors import FormatError, OptionError
from komadori.formats import (
    FORMATS,
    ae_keys,
    celsys_csv,
    encoded,
    left_out,
    load,
    save,
    sheet_tables,
    sts,
    sxf,
    tvpaint_csv,
    xdts,
    xdts_writing,
)
from komadori.timesheet import Timesheet

sys.path.insert(0, str(Path(__file__).parent.parent / "fuzz"))
from fuzz_mutators import broken
from fuzz_shapes import BY_FORMAT

LABELS = st.text("ABCxyz髪体1_", min_size=1, max_size=5)
WORDS = st.text("abcおはよう!? 12", min_size=1, max_size=6).filter(lambda word: word == word.strip())
READERS = {entry.suffixes[0]: entry for entry in FORMATS if entry.read_sheets is not None}
BOTH = st.sampled_from(["source", "drawing"])


@st.composite
def cuts(draw: st.DrawFn, *, most: int = 4, fps: float = 24.0, spoken: bool = False, filmed: bool = False) -> Cut:
    """Cels with blanks at the start, within and at the end; dialogue and camera work that do not overlap."""
    frames = draw(st.integers(2, 30))
    column = st.lists(st.integers(0, 9), min_size=frames, max_size=frames).filter(any)
    columns = draw(st.dictionaries(LABELS, column, min_size=1, max_size=most))

    def cues(label: str) -> tuple[Cue, ...]:
        edges = sorted(draw(st.sets(st.integers(0, frames), min_size=2, max_size=5)))
        pairs = list(zip(edges[::2], edges[1::2], strict=False))
        speaker = draw(WORDS) if label == "S1" else ""
        return tuple(Cue(a, b - a, draw(WORDS), speaker, label) for a, b in pairs)

    dialogue, camera = cues("S1") if spoken else (), cues("1") if filmed else ()
    return Cut.of_numbers(fps, columns, frames=frames, dialogue=dialogue, camera=camera)


def told(cut: Cut) -> dict[str, list[int]]:
    return {name: cut.numbers(name, "source").tolist() for name in cut}


# The thing itself.


def test_a_cut_is_its_tracks_with_blanks_beside_them() -> None:
    cut = Cut.of_numbers(24, {"A": [0, 1, 1, 0, 4, 0], "B": [0] * 6, "C": [2, 2, 0, 0, 0, 0]}, cut="12")
    assert {name: sheet.source.tolist() for name, sheet in cut.items()} == {"A": [0, 0, 0, 0, 3], "C": [1, 1]}
    assert dict(cut.blank) == {"A": (0, 3)}
    assert cut.frames == 6
    assert told(cut) == {"A": [0, 1, 1, 0, 4, 0], "C": [2, 2, 0, 0, 0, 0]}
    assert cut.numbers("A", "drawing").tolist() == [0, 1, 1, 0, 2, 0]
    assert cut == dict(cut.tracks)
    assert cut != cut.replaced(cut="13")
    assert changes(cut.numbers("A")) == [(0, 0), (1, 1), (3, 0), (4, 4), (5, 0)]


@given(st.lists(st.integers(0, 40), max_size=60))
def test_drawings_are_numbered_by_first_appearance(source: list[int]) -> None:
    sheet = Timesheet(24, np.array(source, dtype=int))
    order = list(dict.fromkeys(source))
    assert numbered(sheet).tolist() == [order.index(one) + 1 for one in source]


@pytest.mark.parametrize(
    "wrong",
    [
        {"frames": 2},
        {"blank": {"B": (0,)}},
        {"blank": {"A": (9,)}},
        {"dialogue": (Cue(0, 9, "a"),)},
        {"camera": (Cue(-1, 1, "a"),)},
        {"camera": (Cue(0, 0, "a"),)},
        {"numbering": "letters"},
    ],
)
def test_what_no_sheet_can_say_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        Cut({"A": Timesheet.ones(4)}, **wrong)


# Layouts, written down byte by byte from their descriptions.


def test_sts_is_laid_out_as_other_readers_expect() -> None:
    cut = Cut.of_numbers(24, {"A": [1, 1, 300], "髪": [0, 2, 0]})
    assert encoded(cut, "a.sts") == (
        b"\x11ShiraheiTimeSheet" + bytes([2, 3, 0, 0, 0]) + bytes([1, 0, 1, 0, 44, 1, 0, 0, 2, 0, 0, 0])
        + b"\x01A\x02" + "髪".encode("cp932")
    )  # fmt: skip


def test_sxf_is_laid_out_in_sections_of_stated_length() -> None:
    cut = Cut.of_numbers(24, {"A": [1, 1, 0, 12]}, scene="3", cut="45", dialogue=(Cue(1, 2, "はい", "猫"),))
    data = encoded(cut, "a.sxf")
    assert data[:4] == b"WBSC"
    # Where a reader of real files finds them: frames at 16, cels at 20, the rate at 24, scene and cut, the form.
    assert struct.unpack_from(">II", data, 16) == (4, 1)
    assert (data[25], data[29], data[37], data[53], data[55]) == (24, 3, 45, 6, 144)
    at, sections = 8, {}
    while at < len(data):
        marker, size = struct.unpack_from(">HI", data, at)
        sections[marker] = data[at + 6 : at + 6 + size]
        at += 6 + size
    assert at == len(data)
    assert list(sections) == list(range(0xFF01, 0xFF08))
    cells = b"\0\x011" + bytes(7) + bytes(10) + b"\0\x08" + bytes(8) + b"\0\x0112" + bytes(6)
    column = b"\0\x01A" + b"\0\0\0\x01" + b"\0\0\0\x0a" + cells
    assert sections[0xFF04] == struct.pack(">I", len(column)) + column
    assert sections[0xFF05][4:].rstrip(b"\0").split(b"\0")[-1] == b"|"


def test_keys_for_after_effects_have_one_a_frame_and_empty_cels_at_999_seconds() -> None:
    lines = encoded(Cut.of_numbers(24, {"A": [1, 1, 0, 7]}), "a.txt").decode().split("\r\n")
    assert lines[0] == "Adobe After Effects 8.0 Keyframe Data"
    assert "\tUnits Per Second\t24" in lines
    start = lines.index("Time Remap")
    assert lines[start + 1 : start + 6] == ["\tFrame\tseconds\t", "\t0\t0\t", "\t1\t0\t", "\t2\t999\t", "\t3\t0.25\t"]
    assert lines[-2:] == ["End of Keyframe Data", ""]


def test_xdts_says_which_version_it_needs_and_numbers_the_cut() -> None:
    def document(cut: Cut) -> Any:
        return json.loads(encoded(cut, "a.xdts").split(b"\n", 1)[1])

    plain = Cut.of_numbers(24, {"A": [1, 2]}, scene="7", cut="12")
    assert (document(plain)["version"], document(plain)["header"]) == (5, {"cut": "12", "scene": "7"})
    full = document(plain.replaced(dialogue=(Cue(0, 2, "はい", "猫", "S1"),), camera=(Cue(1, 1, "PAN"),)))
    assert full["version"] == 10
    fields = {field["fieldId"]: field["tracks"][0]["frames"] for field in full["timeTables"][0]["fields"]}
    assert [entry["data"][0]["values"] for entry in fields[3]] == [["猫", "はい"], ["SYMBOL_HYPHEN"]]
    assert [(entry["frame"], entry["data"][0]["values"]) for entry in fields[5]] == [(1, ["PAN"])]
    assert left_out(plain.replaced(cut="12A"), "a.xdts") == ("XDTS has up to four digits for the cut: '12A' became 12",)


def test_tdts_has_cells_in_their_own_columns_and_keys_in_the_action_columns() -> None:
    sheet = Timesheet(24, np.array([0, 1, 1, 5, 6]))
    document = json.loads(encoded({"A": sheet}, "a.tdts").split(b"\n", 1)[1])
    assert document["version"] == 11
    (table,) = document["timeSheets"][0]["timeTables"]
    shown = {
        field["fieldId"]: [entry["data"][0]["values"][0] for entry in field["tracks"][0]["frames"]]
        for field in table["fields"]
    }
    assert shown[4] == ["1", "2", "6", "7", "SYMBOL_NULL_CELL"]
    assert shown[0] == ["1", "2", "6", "7", "SYMBOL_NULL_CELL"]
    longer = json.loads(encoded({"A": Timesheet.ones(3)}, "a.tdts").split(b"\n", 1)[1])
    action = longer["timeSheets"][0]["timeTables"][0]["fields"][0]["tracks"][0]["frames"]
    assert [entry["data"][0]["values"][0] for entry in action] == ["1", "SYMBOL_TICK_1", "3", "SYMBOL_NULL_CELL"]


# There and back.


@settings(max_examples=60)
@given(cuts(spoken=True, filmed=True), BOTH, st.sampled_from([".xdts", ".tdts", ".json"]))
def test_what_json_holds_comes_back_whole(cut: Cut, numbering: str, suffix: str) -> None:
    cut = cut.replaced(numbering=numbering, title="t", scene="3", cut="12")
    back = load_bytes(encoded(cut, f"a{suffix}"), suffix)
    assert back.replaced(numbering=numbering) == cut


@settings(max_examples=40)
@given(cuts(fps=30.0), st.sampled_from([".csv", ".sxf", ".tvpaint.csv"]))
def test_cels_and_rate_come_back(cut: Cut, suffix: str) -> None:
    back = load_bytes(encoded(cut, f"a{suffix}"), suffix)
    assert (told(back), back.fps, back.frames) == (told(cut), 30.0, cut.frames)


@settings(max_examples=40)
@given(cuts(), st.sampled_from([".sts", ".celsys.csv"]))
def test_cels_come_back_from_formats_that_state_no_rate(cut: Cut, suffix: str) -> None:
    back = load_bytes(encoded(cut, f"a{suffix}"), suffix)
    assert (told(back), back.frames) == (told(cut), cut.frames)
    assert left_out(cut.replaced(tracks={n: Timesheet(30, s.source) for n, s in cut.items()}), f"a{suffix}")


@settings(max_examples=40)
@given(cuts(spoken=True), st.sampled_from([".sxf", ".celsys.csv"]))
def test_dialogue_comes_back_from_sheets_with_columns_for_it(cut: Cut, suffix: str) -> None:
    back = load_bytes(encoded(cut, f"a{suffix}"), suffix)
    assert [cue[:4] for cue in back.dialogue] == [cue[:4] for cue in cut.dialogue]


@settings(max_examples=40)
@given(cuts(most=1), st.sampled_from([24, 30, 23.976, 12.5, 59.94]))
def test_keys_for_after_effects_read_back_at_any_rate(cut: Cut, fps: float) -> None:
    cut = Cut.of_numbers(fps, told(cut))
    back = load_bytes(encoded(cut, "a.txt"), ".txt")
    assert list(told(back).values()) == list(told(cut).values())


def test_drawings_numbered_per_cel_read_back_as_the_source_frames_that_they_show() -> None:
    sheets = {"A": Timesheet(24, np.array([0, 0, 9, 30])), "B": Timesheet(24, np.array([5, 7, 5]))}
    for suffix in (".xdts", ".tdts"):
        data = encoded(Cut(sheets, numbering="drawing"), f"a{suffix}")
        assert b'"values": ["3"]' in data
        assert b'"values": ["31"]' not in data
        assert load_bytes(data, suffix) == sheets


def load_bytes(data: bytes, suffix: str) -> Cut:
    read = READERS[suffix].read_sheets
    assert read is not None
    return read(data, f"a{suffix}")


# Files as other programs write them.


def test_a_table_of_retas_is_read_in_its_own_code_page() -> None:
    rows = (
        '"Frame","原画","","台詞","動画",""',
        '"","A","B","","A","B"',
        '"1","1","1","猫「はい」","1","×"',
        '"2","○","","|","2",""',
        '"3","2","","","","5"',
        '"4","","","","3","×"',
    )
    for code in ("cp932", "utf-8", "utf-8-sig"):
        cut = load_bytes("\r\n".join(rows).encode(code), ".csv")
        assert told(cut) == {"A": [1, 2, 2, 3], "B": [0, 0, 5, 0]}
        assert cut.dialogue == (Cue(0, 2, "はい", "猫", ""),)


def test_a_table_of_clip_studio_paint_without_folders_is_read() -> None:
    cut = load_bytes(b'"Frame",""\n"","A"\n"1","A0001"\n"2",""\n"3","A0004"\n', ".csv")
    assert told(cut) == {"A": [1, 1, 4]}


def test_a_table_of_tvpaint_names_its_drawings_by_their_pictures() -> None:
    data = (
        'UTF-8, TVPaint, "CSV 1.1"\n'
        "Project Name, Width, Height, Frame Count, Layer Count, Frame Rate, Pixel Aspect Ratio, Field Mode\n"
        '"343", 2340, 1654, 3, 2, 12.000000, 1.000000, Progressive\n\n'
        '#Layers,"A","B"\n#Visible, 1, 1\n'
        '#00001, "[001][00001] 1.png", ""\n#00002, "[001][00001] 1.png", "B.frames/B0007.png"\n#00003, "[001][00003] 2.png", ""\n'
    )
    cut = load_bytes(data.encode(), ".csv")
    assert (told(cut), cut.fps, cut.title) == ({"A": [1, 1, 2], "B": [0, 7, 0]}, 12.0, "343")


def test_a_table_of_krita_counts_its_pictures_from_0() -> None:
    head = (
        'UTF-8, TVPaint, "CSV 1.0"\r\n'
        "Project Name, Width, Height, Frame Count, Layer Count, Frame Rate, Pixel Aspect Ratio, Field Mode\r\n"
        '"", 1920, 1080, 4, 2, 24.000000, 1.000000, Progressive\r\n'
        '#Layers, "A", "BG"\r\n#Density, 1.000000, 1.000000\r\n#Blending, "Color", "Color"\r\n#Visible, 1, 1\r\n'
    )
    shown = [(0, 1), (0, 1), (2, 1), (2, 3)]
    rows = [f'#{frame:05d}, "frame00001-{a:05d}.png", "frame00002-{b:05d}.png"' for frame, (a, b) in enumerate(shown)]
    cut = load_bytes((head + "\r\n".join(rows) + "\r\n").encode(), ".csv")
    assert (told(cut), cut.notes) == ({"A": [1, 1, 3, 3], "BG": [2, 2, 2, 4]}, ())


@pytest.mark.parametrize("between", [",", ";", "\t"])
@pytest.mark.parametrize("first", ["Frame", "フレーム", "コマ"])
@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "cp932"])
def test_a_table_that_a_spreadsheet_saved_is_read(between: str, first: str, code: str, tmp_path: Path) -> None:
    rows = [
        [first, "time", "Ａ", "B"],
        ["1", "0", "1", "1a"],
        ["2", "0.04", "", "×"],
        ["3", "0.08", "2", ""],
        ["4", "", "", "2"],
    ]
    path = tmp_path / "sheet.csv"
    path.write_bytes("\r\n".join(between.join(row) for row in rows).encode(code))
    cut = load(path)
    assert told(cut) == {"Ａ": [1, 1, 2, 2], "B": [1, 0, 0, 2]}


def test_what_is_told_of_a_sheet_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("frame,A\n1,1\n2,1a\n3,2\n")
    for words in (["info", str(path)], ["convert", str(path), str(tmp_path / "a.sts")]):
        assert main(words) == 0
        assert "counted 1, 2, 3" in capsys.readouterr().out


def test_scene_and_cut_are_stated_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made, again = tmp_path / "a.tdts", tmp_path / "b.xdts"
    assert main(["limited", "sample:kick", "--sheet", str(made), "--scene", "3", "--cut", "12A"]) == 0
    assert (load(made).scene, load(made).cut) == ("3", "12A")
    assert main(["convert", str(made), str(again), "--cut", "77"]) == 0
    assert (load(again).scene, load(again).cut) == ("3", "77")
    capsys.readouterr()


def test_toeis_sheets_are_read_in_both_of_their_shapes() -> None:
    def entry(frame: int, *values: str) -> Any:
        return {"frame": frame, "data": [{"id": 0, "values": list(values)}]}

    names = [{"fieldId": n, "names": ["A"]} for n in (0, 3, 4, 5)]
    keys = {"fieldId": 0, "tracks": [{"trackNo": 0, "frames": [entry(0, "1"), entry(2, "SYMBOL_TICK_1")]}]}
    cells = {"fieldId": 4, "tracks": [{"trackNo": 0, "frames": [entry(0, "1"), entry(2, "2")]}]}
    table = {"name": "sheet1", "duration": 4, "timeTableHeaders": names, "fields": [keys, cells]}
    header = {"cut": "12A", "scene": "", "episode": "3"}
    new = {"timeSheets": [{"header": header, "timeTables": [table, table]}], "version": 10}
    cut = load_bytes(b"toeiDigitalTimeSheet Save Data\n" + json.dumps(new).encode(), ".tdts")
    assert (told(cut), cut.cut, cut.episode) == ({"A": [1, 1, 2, 2]}, "12A", "3")
    assert cut.notes == ("the file holds 2 sheets; the first was read",)
    old = {"header": header, "timeTables": [{**table, "fields": [keys]}], "version": 5}
    assert told(load_bytes(b"toeiDigitalTimeSheet Save Data\n" + json.dumps(old).encode(), ".tdts")) == {"A": [1] * 4}


def test_a_sheet_whose_names_are_cut_off_keeps_its_timing() -> None:
    whole = encoded(Cut.of_numbers(24, {"first": [1, 2], "second": [3, 4]}), "a.sts")
    cut = load_bytes(whole[: whole.index(b"\x05first")], ".sts")
    assert told(cut) == {"A": [1, 2], "B": [3, 4]}


def test_keys_that_hold_are_read_as_holds() -> None:
    head = "Adobe After Effects 9.0 Keyframe Data\n\n\tUnits Per Second\t24\n\nTime Remap\n\tFrame\tseconds\n"
    cut = load_bytes((head + "\t0\t0\n\t3\t0.0833333\n\t5\t999\n\nEnd of Keyframe Data\n").encode(), ".txt")
    assert told(cut) == {"A": [1, 1, 1, 3, 3, 0]}


# What stays behind is told, and what cannot be is refused.


def test_a_format_tells_what_it_cannot_hold(tmp_path: Path) -> None:
    cut = Cut.of_numbers(
        24, {"A": [1, 2, 3]}, dialogue=(Cue(0, 1, "a"),), camera=(Cue(0, 1, "PAN"),), episode="4", cut="12"
    )
    lost = {suffix: left_out(cut, f"a{suffix}") for suffix in READERS}
    assert lost[".json"] == lost[".tdts"] == ()
    assert lost[".xdts"] == ("XDTS has no place for the heading: episode",)
    assert lost[".sts"] == (
        "STS has no dialogue column; lines not written: 1",
        "STS has no camera column; instructions not written: 1",
        "STS has no place for the heading: episode, cut",
    )
    assert lost[".sts"][-1].in_language("ja") == "STS には見出しの欄がありません：話数、カット番号"
    assert len(lost[".sxf"]) == 2
    assert all(len(lost[suffix]) == 3 for suffix in (".csv", ".txt", ".tvpaint.csv"))
    save(cut, tmp_path / "a.tdts")
    assert load(f"{tmp_path / 'a.tdts'}#A", kind="timesheets")["A"].source.tolist() == [0, 1, 2]
    with pytest.raises(FormatError, match="the track 'B'"):
        load(f"{tmp_path / 'a.tdts'}#B", kind="timesheets")


@pytest.mark.parametrize(
    ("sheets", "suffix"),
    [
        ({f"c{n}": Timesheet.ones(1) for n in range(256)}, ".sts"),
        ({"A": Timesheet(24, np.array([65535]))}, ".sts"),
        ({"A": Timesheet(24, np.zeros(65536, dtype=int))}, ".sts"),
        ({"\U0001f600": Timesheet.ones(1)}, ".sts"),
        ({"\U0001f600": Timesheet.ones(1)}, ".sxf"),
        ({"A": Timesheet(24, np.array([99_999_999]))}, ".sxf"),
        ({"A": Timesheet(24, np.array([24000]))}, ".txt"),
        ({'a"b': Timesheet.ones(1)}, ".tvpaint.csv"),
        ({"a\nb": Timesheet.ones(1)}, ".celsys.csv"),
    ],
)
def test_what_a_format_has_no_room_for_is_refused(sheets: dict[str, Timesheet], suffix: str) -> None:
    with pytest.raises(OptionError) as error:
        encoded(sheets, f"a{suffix}")
    assert "\n" not in str(error.value)


SEEDS = {
    suffix: encoded(
        Cut.of_numbers(
            24,
            {"A": [1, 1, 0, 12, 3, 3]} if suffix == ".txt" else {"A": [1, 1, 0, 12, 3, 3], "髪": [0, 2, 2, 0, 0, 0]},
            dialogue=(Cue(1, 3, "はい", "猫", "S1"),),
            camera=(Cue(0, 2, "PAN"),),
            numbering="drawing",
        ),
        f"a{suffix}",
    )
    for suffix in READERS
}


@pytest.mark.parametrize("suffix", READERS)
def test_broken_files_end_in_one_line_each(suffix: str) -> None:
    """A few, on every system: `tests/fuzz` breaks 2,000 of each."""
    rng, mutate = random.Random(19), BY_FORMAT[f"{READERS[suffix].name} {suffix}"]
    refused = []
    for _ in range(200):
        data = broken(SEEDS[suffix], mutate, rng)
        try:
            cut = load_bytes(data, suffix)
        except FormatError as error:
            refused.append(str(error))
        else:
            assert all(len(sheet) <= cut.frames for sheet in cut.values())
    assert len(refused) > 10
    assert not [line for line in refused if "\n" in line or len(line) > 700]


@pytest.mark.parametrize(
    ("suffix", "data"),
    [
        (".sts", sts.MAGIC),
        (".sts", sts.MAGIC + bytes([255, 255, 255, 0, 0]) + bytes(100)),
        (".sts", sts.MAGIC + bytes([0, 1, 0, 0, 0])),
        (".sxf", sxf.MAGIC + bytes(4)),
        (".sxf", sxf.MAGIC + bytes(4) + struct.pack(">HI", 0xFF01, 2**32 - 1)),
        (".sxf", sxf.MAGIC + bytes(4) + struct.pack(">HIHI", 0xFF01, 6, 0, 2**32 - 1) + struct.pack(">HI", 0xFF04, 0)),
        (".txt", b"Adobe After Effects 8.0 Keyframe Data\n"),
        (".txt", b"Adobe After Effects 8.0 Keyframe Data\n\tUnits Per Second\t24\nTime Remap\n\t99999999999\t0\n"),
        (".txt", b"Adobe After Effects 8.0 Keyframe Data\n\tUnits Per Second\t24\nTime Remap\n\t0\t0.02\n"),
        (".csv", b'"Frame","A"\n'),
        (".csv", b'"Frame","A"\n"","A"\n"1","x"\n'),
        (".csv", b'"Frame","A"\n"","A"\n"1","\x81\xff"\n'),
        (".csv", b'UTF-8, TVPaint, "CSV 1.0"\n'),
        (".tdts", b'toeiDigitalTimeSheet Save Data\n{"timeSheets": []}'),
    ],
)
def test_a_lie_about_a_size_takes_no_memory(suffix: str, data: bytes) -> None:
    with pytest.raises(FormatError) as error:
        load_bytes(data, suffix)
    assert "\n" not in str(error.value)


def test_modules_agree_on_what_they_write() -> None:
    sheets = {"A": Timesheet.on(2, 9)}
    for module, parse in ((sts, sts.parse), (sxf, sxf.parse), (ae_keys, ae_keys.parse), (celsys_csv, celsys_csv.parse)):
        assert parse(module.emit(sheets), "x") == sheets
    assert tvpaint_csv.parse(tvpaint_csv.emit(sheets), "x") == sheets
    assert xdts.parse(xdts_writing.emit_toei(sheets), "x") == sheets
    assert sheet_tables.parse_csv(sheet_tables.emit_csv(sheets), "x") == sheets
