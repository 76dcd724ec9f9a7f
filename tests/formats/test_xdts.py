from __future__ import annotations

import contextlib
import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori.errors import FormatError, OptionError
from komadori.formats import xdts, xdts_writing
from komadori.timesheet import Timesheet

SYMBOLS = {"SYMBOL_NULL_CELL", "SYMBOL_HYPHEN", "SYMBOL_TICK_1", "SYMBOL_TICK_2"}
NAMES = st.text("ABCxyz髪体1_", min_size=1, max_size=5)
SOURCES = st.lists(st.integers(0, 40), min_size=1, max_size=60)


def as_opentoonz_reads(data: bytes) -> dict[str, list[int]]:
    """What a strict reader makes of the file, from the format's description alone; asserts all that it relies on."""
    lines = data.decode("utf-8").split("\n", 1)
    assert lines[0] == "exchangeDigitalTimeSheet Save Data"
    document = json.loads(lines[1])
    assert document["version"] in (5, 10)
    assert re.fullmatch(r"\d{1,4}", document["header"]["cut"])
    assert re.fullmatch(r"\d{1,4}", document["header"]["scene"])
    (table,) = document["timeTables"]
    assert isinstance(table["name"], str)
    assert type(table["duration"]) is int
    assert 0 < table["duration"] < 2**31
    (header,) = [h for h in table["timeTableHeaders"] if h["fieldId"] == 0]
    (field,) = [f for f in table["fields"] if f["fieldId"] == 0]
    assert {f["fieldId"] for f in table["fields"]} <= {0, 3, 5}
    read = {}
    for track in field["tracks"]:
        name = header["names"][track["trackNo"]]
        assert track["frames"], "an empty track makes the reader ask for the last of nothing"
        cells: list[int] = []
        last_frame = -1
        for entry in track["frames"]:
            assert type(entry["frame"]) is int
            assert entry["frame"] > last_frame, "entries come in order, each frame once"
            last_frame = entry["frame"]
            (item,) = entry["data"]
            assert item["id"] == 0
            (value,) = item["values"]
            assert value in SYMBOLS or re.fullmatch(r"[1-9]\d{0,9}", value)
            cells += [cells[-1] if cells else -1] * (entry["frame"] - len(cells))
            cells.append(-1 if value == "SYMBOL_NULL_CELL" else int(value))
        assert track["frames"][0]["frame"] == 0
        assert cells.pop() == -1, "a track is closed"
        assert len(cells) <= table["duration"]
        assert -1 not in cells
        read[name] = cells
    return read


def document(frames: list[Any], duration: Any = 12, **table: Any) -> bytes:
    content = {
        "header": {"cut": "1", "scene": "1"},
        "timeTables": [
            {
                "name": "t",
                "duration": duration,
                "timeTableHeaders": [{"fieldId": 3, "names": ["S"]}, {"fieldId": 0, "names": ["A"]}],
                "fields": [
                    {"fieldId": 3, "tracks": [{"trackNo": 0, "frames": []}]},
                    {"fieldId": 0, "tracks": [{"trackNo": 0, "frames": frames}]},
                ],
                **table,
            }
        ],
        "version": 5,
    }
    return b"exchangeDigitalTimeSheet Save Data\n" + json.dumps(content).encode()


def cell(frame: Any, value: Any) -> dict[str, Any]:
    return {"frame": frame, "data": [{"id": 0, "values": [value]}]}


@given(st.dictionaries(NAMES, SOURCES, min_size=1, max_size=4), st.sampled_from([24, 30, 12, 24000 / 1001, 7.3]))
def test_what_is_written_reads_back_the_same_and_satisfies_a_strict_reader(
    tracks: dict[str, list[int]], fps: float
) -> None:
    sheets = {name: Timesheet(fps, np.array(source)) for name, source in tracks.items()}
    data = xdts_writing.emit(sheets)
    assert xdts.parse(data, "x.xdts") == sheets
    assert list(xdts.parse(data, "x.xdts")) == list(sheets)
    assert as_opentoonz_reads(data) == {name: [s + 1 for s in source] for name, source in tracks.items()}


@given(SOURCES)
def test_drawings_are_numbered_in_order_of_first_appearance(source: list[int]) -> None:
    sheet = Timesheet(24, np.array(source))
    cells = as_opentoonz_reads(xdts_writing.emit({"A": sheet}, numbering="drawing"))["A"]
    assert list(dict.fromkeys(cells)) == list(range(1, len(sheet.drawings) + 1))
    assert [sheet.drawings[c - 1] for c in cells] == source


def test_a_sheet_at_24_has_nothing_that_the_format_does_not_name() -> None:
    table = json.loads(xdts_writing.emit({"A": Timesheet.ones(3)}).split(b"\n", 1)[1])["timeTables"][0]
    assert set(table) == {"name", "duration", "timeTableHeaders", "fields"}
    table = json.loads(xdts_writing.emit({"A": Timesheet.ones(3, fps=30)}).split(b"\n", 1)[1])["timeTables"][0]
    assert table["frameRate"] == 30


def test_entries_of_others_hold_until_the_next_and_ticks_and_hyphens_hold_too() -> None:
    frames = [
        cell(8, "SYMBOL_NULL_CELL"),
        cell(0, "1"),
        cell(2, "SYMBOL_HYPHEN"),
        cell(3, "A0004"),
        cell(5, "SYMBOL_TICK_1"),
        cell(6, "SYMBOL_TICK_2"),
    ]
    sheet = xdts.parse(document(frames), "x.xdts")["A"]
    assert sheet == Timesheet(24, np.array([0, 0, 0, 3, 3, 3, 3, 3]))


def test_an_open_track_goes_on_to_the_end_and_cells_after_the_end_do_not_count() -> None:
    sheet = xdts.parse(document([cell(-5, "9"), cell(3, "2"), cell(40, "3")], duration=6), "x.xdts")["A"]
    assert sheet.source.tolist() == [8, 8, 8, 1, 1, 1]


@pytest.mark.parametrize(
    ("frames", "source", "blank"),
    [
        ([cell(0, "1"), cell(2, "SYMBOL_NULL_CELL"), cell(4, "2")], [0, 0, 0, 0, 1, 1], (2, 3)),
        ([cell(4, "2")], [1] * 6, (0, 1, 2, 3)),
        ([cell(0, "SYMBOL_TICK_1"), cell(4, "2")], [1] * 6, (0, 1, 2, 3)),
    ],
)
def test_a_cel_that_is_empty_for_a_while_is_marked_and_holds_the_drawing_before(
    frames: list[Any], source: list[int], blank: tuple[int, ...]
) -> None:
    cut = xdts.parse(document(frames, duration=6), "x.xdts")
    assert cut["A"].source.tolist() == source
    assert cut.blank["A"] == blank
    assert xdts.parse(xdts_writing.emit(cut), "x.xdts") == cut


def test_tracks_of_one_name_stay_apart_and_empty_ones_are_left_out() -> None:
    tracks = [{"trackNo": n, "frames": [cell(0, str(n + 1))]} for n in (2, 0)] + [{"trackNo": 1, "frames": []}]
    data = document(
        [],
        duration=2,
        fields=[{"fieldId": 0, "tracks": tracks}],
        timeTableHeaders=[{"fieldId": 0, "names": ["A", "B", "A"]}],
    )
    assert {name: s.source.tolist() for name, s in xdts.parse(data, "x").items()} == {"A": [0, 0], "A (2)": [2, 2]}


@pytest.mark.parametrize(
    ("frames", "said"),
    [
        ([], "no track with cells"),
        ([cell(0, 1.5)], "expected a string, found 1.5"),
        ([cell("0", "1")], "whole number"),
        ([cell(1.5, "1")], "whole number"),
        ([cell(True, "1")], "whole number"),
        ([cell(10**30, "1")], "whole number"),
        ([{"frame": 0}], "expected a list, found nothing"),
        (["x"], "expected an object"),
    ],
)
def test_what_a_sheet_cannot_say_is_refused_in_one_line_that_names_the_place(frames: list[Any], said: str) -> None:
    with pytest.raises(FormatError) as error:
        xdts.parse(document(frames), "x.xdts")
    assert said in str(error.value)
    assert str(error.value).startswith("x.xdts")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("names", "numbers", "told"),
    [
        (["1", "1a", "2", "1a"], [1, 2, 3, 2], "1a"),
        (["2", "1'", "1"], [1, 2, 3], "1'"),
        (["A1", "B1"], [1, 2], "A1, B1"),
        (["99999999999", "1"], [1, 2], "99999999999"),
        (["BG", "BG"], [1, 1], None),
        (["١", "１"], [1, 2], "١"),
        (["A_0003.png", "A_0001.png"], [3, 1], None),
        (["c12_A0003.tga", "c12_A0001.tga"], [3, 1], None),
        (["c12_1", "c13_2"], [1, 2], "c12_1, c13_2"),
        (["0", "1"], [1, 2], "count from 0"),
        ([7, 8], [7, 8], None),
    ],
)
def test_drawings_of_any_name_have_a_number(names: list[Any], numbers: list[int], told: str | None) -> None:
    cut = xdts.parse(document([cell(frame, name) for frame, name in enumerate(names)], duration=len(names)), "x.xdts")
    assert (cut["A"].source + 1).tolist() == numbers
    assert len(cut.notes) == (told is not None)
    assert told is None or told in cut.notes[0]


def test_entries_without_data_and_headings_without_a_number_say_nothing() -> None:
    frames = [cell(0, "1"), {"frame": 1, "data": []}, cell(2, "2")]
    data = document(frames, duration=3.0).replace(b'"cut": "1", "scene": "1"', b'"cut": 12, "scene": null')
    cut = xdts.parse(data, "x.xdts")
    assert (cut["A"].source.tolist(), cut.cut, cut.scene) == ([0, 0, 1], "12", "")


def test_a_lying_duration_takes_no_memory() -> None:
    with pytest.raises(FormatError, match="duration"):
        xdts.parse(document([cell(0, "1")], duration=10**12), "x")
    with pytest.raises(FormatError, match=r"at most 200\d\d\d frames"):
        xdts.parse(document([cell(0, "1")], duration=201_000), "x")
    many = [{"trackNo": n, "frames": [cell(0, "1")]} for n in range(50)]
    with pytest.raises(FormatError, match=r"at most 20\d\d\d\d frames"):
        xdts.parse(document([], duration=10**4, fields=[{"fieldId": 0, "tracks": many}]), "x")


FIRST = b"exchangeDigitalTimeSheet Save Data\n"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        FIRST,
        FIRST + b"{",
        FIRST + b"[]",
        FIRST + b"{}",
        FIRST + b'{"timeTables": [], "version": 5}',
        FIRST + b'{"timeTables": [{"duration": NaN}]}',
        FIRST + b'{"timeTables": [{"duration": ' + b"9" * 5000 + b"}]}",
        FIRST + b"[" * 200_000,
        FIRST + b'{"a":' * 200_000,
        FIRST + b"\xff\xfe",
        b"\xff\xfe" + FIRST,
        b"toeiDigitalTimeSheet Save Data\n{}",
        document([cell(0, "1")], frameRate=0),
        document([cell(0, "1")], frameRate="24"),
        document([cell(0, "1")], frameRate=1e300),
        document([cell(0, "1")], fields={}),
        document([cell(0, "1")], timeTableHeaders=[{"fieldId": 0, "names": [7]}]),
        document([], fields=[{"fieldId": 0, "tracks": [{"trackNo": 0}, {"trackNo": 0}]}]),
    ],
)
def test_hostile_files_are_refused(data: bytes) -> None:
    with pytest.raises(FormatError) as error:
        xdts.parse(data, "x.xdts")
    assert len(str(error.value)) < 700
    assert "\n" not in str(error.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["1", "A7", *sorted(SYMBOLS), ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["frame", "data", "values"]), inner),
    max_leaves=8,
)
KEYS = ["duration", "frameRate", "fields", "timeTableHeaders"]


@settings(max_examples=200)
@given(st.lists(JSON, max_size=4), st.dictionaries(st.sampled_from(KEYS), JSON, max_size=2))
def test_whatever_stands_in_the_file_nothing_but_a_format_error_escapes(frames: list[Any], table: Any) -> None:
    try:
        sheets = xdts.parse(document(frames, **table), "x")
    except FormatError:
        return
    assert all(len(sheet) for sheet in sheets.values())


@settings(max_examples=300)
@given(st.data())
def test_broken_bytes_never_crash_the_reader(data: st.DataObject) -> None:
    good = bytearray(xdts_writing.emit({"A": Timesheet.on(2, 9), "髪": Timesheet.ones(5)}))
    for _ in range(data.draw(st.integers(1, 4))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(FormatError):
        xdts.parse(bytes(good), "x")


@pytest.mark.parametrize(
    "sheets",
    [
        {},
        {"A": Timesheet(24, np.zeros(0, dtype=int))},
        {"A": Timesheet.ones(3, 24), "B": Timesheet.ones(3, 30)},
        {"A": Timesheet(24, np.array([2**31]))},
    ],
)
def test_what_the_format_cannot_hold_is_refused(sheets: dict[str, Timesheet]) -> None:
    with pytest.raises(OptionError):
        xdts_writing.emit(sheets)


def test_an_unknown_numbering_is_refused() -> None:
    with pytest.raises(OptionError, match="numbering"):
        xdts_writing.emit({"A": Timesheet.ones(3)}, numbering="letters")
