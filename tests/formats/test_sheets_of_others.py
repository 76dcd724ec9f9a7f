"""Sheets as OpenToonz, Clip Studio Paint and Toei's program read and write them: strict readers, and files with what only they put in."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest

from komadori.cut import Cue, Cut
from komadori.formats import encoded, left_out, sheet_tables, sxf, xdts
from komadori.render.drawing import Text
from komadori.render.sheets import printed_sheet
from komadori.timesheet import Timesheet

TOEI, XDTS = "toeiDigitalTimeSheet Save Data", "exchangeDigitalTimeSheet Save Data"


def shown(cut: Cut) -> dict[str, list[int]]:
    return {name: cut.numbers(name).tolist() for name in cut}


def entry(frame: int, *values: Any, **more: Any) -> dict[str, Any]:
    return {"frame": frame, "data": [{"id": 0, "values": list(values), **more}]}


def field(number: int, *tracks: list[Any]) -> dict[str, Any]:
    return {"fieldId": number, "tracks": [{"trackNo": n, "frames": frames} for n, frames in enumerate(tracks)]}


def table(*fields: dict[str, Any], duration: int = 4, names: str = "AB", **more: Any) -> dict[str, Any]:
    headers = [{"fieldId": number, "names": list(names)} for number in (0, 4)]
    return {"name": "sheet1", "duration": duration, "timeTableHeaders": headers, "fields": list(fields), **more}


def toei(*sheets: list[dict[str, Any]]) -> bytes:
    listed = [{"free": [], "header": {"cut": str(n + 1)}, "timeTables": held} for n, held in enumerate(sheets)]
    return f"{TOEI}\n{json.dumps({'timeSheets': listed, 'version': 11})}".encode()


# SXF beside OpenToonz, whose reader refuses what is shorter than it expects.


class Stream:
    """Big-endian numbers, one after another, as a QDataStream has them."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, kinds: str) -> tuple[Any, ...]:
        found = struct.unpack_from(f">{kinds}", self.data, self.at)
        self.at += struct.calcsize(f">{kinds}")
        return found

    def raw(self, count: int) -> bytes:
        found = self.data[self.at : self.at + count]
        assert len(found) == count
        self.at += count
        return found


def as_opentoonz_reads(data: bytes, area: int = 4) -> dict[str, Any]:
    """What OpenToonz makes of an SXF file, after `sxfio`: the cels of the sheet of keys (3) or cels (4), and the settings."""
    stream = Stream(data)
    found: dict[str, Any] = {}
    assert stream.take("I") == (0x57425343,)
    stream.take("I")
    sheets: dict[int, dict[str, list[int]]] = {}
    least = {1: 84, 2: 6, 3: 0, 4: 0, 5: 148, 6: 2, 7: 8}
    while stream.at < len(data):
        start, block, size = stream.take("BBI")
        assert start == 0xFF
        assert size >= least[block], f"block {block} is shorter than the program expects"
        end = stream.at + size
        if block == 1:
            _, frames, cels, fps, scene, _, cut = stream.take("HIIHIII")
            found |= {"frames": frames, "cels": cels, "fps": fps, "scene": scene, "cut": cut}
            found["form"] = stream.take("3I3H7H7I")[3:6]
        elif block == 2:
            (length,) = stream.take("H")
            found["memo"] = stream.raw(length).decode("cp932")
            stream.take("I")
        elif block in (3, 4):
            sheets[block] = {}
            while stream.at < end:
                (column,) = stream.take("I")
                (letters,) = stream.take("H")
                name = stream.raw(letters).decode()
                visible, each = stream.take("II")
                assert visible == 1
                assert each == 10
                held = column - (2 + letters + 8)
                assert held % 10 == 0
                cells, last = [], 0
                for _ in range(held // 10):
                    (mark,) = stream.take("H")
                    number = int(stream.raw(8).rstrip(b"\0") or b"0")
                    last = number if number > 0 else 0 if mark & 8 else last
                    cells.append(last)
                sheets[block][name] = cells
        else:
            stream.raw(size)
        assert stream.at == end
    found["cell"] = sheets[area]
    assert list(sheets[3]) == list(sheets[4])
    assert len(sheets[4]) == found["cels"]
    return found


@pytest.mark.parametrize("frames", [1, 2, 30])
def test_opentoonz_reads_our_sxf(frames: int) -> None:
    columns = {"A": [1] * frames, "B": [0] * (frames - 1) + [12]}
    cut = Cut.of_numbers(24, columns, scene="3", cut="45", title="t", dialogue=(Cue(0, 1, "はい"),))
    found = as_opentoonz_reads(encoded(cut, "a.sxf"))
    assert found == {
        "frames": frames, "cels": 2, "fps": 24, "scene": 3, "cut": 45, "form": (8, 6, 144), "memo": "t", "cell": columns,
    }  # fmt: skip


def as_opentoonz_writes(columns: dict[str, list[tuple[int, int]]], frames: int, area: int = 4) -> bytes:
    """An SXF file whose cells are (mark, number), in the sheet of keys (3) or cels (4); the other is empty."""

    def block(number: int, content: bytes) -> bytes:
        return struct.pack(">BBI", 0xFF, number, len(content)) + content

    def sheet(filled: bool) -> bytes:
        made = b""
        for name, cells in columns.items():
            label = name.encode()
            body = struct.pack(">H", len(label)) + label + struct.pack(">II", 1, 10)
            for mark, number in cells:
                text = str(number).encode() if number and filled else b""
                body += struct.pack(">H8s", mark if filled else 0, text)
            made += struct.pack(">I", len(body)) + body
        return made

    settings = struct.pack(">HIIHIII3I3H", 7, frames, len(columns), 24, 1, 0, 1, 0, 0, 1, 1, 6, 144)
    settings += struct.pack(">7H7I", 6, 1, 4, 8, 2, 16, 25, 1, 1, 1, 0, 0, 1, 0)
    memo = "演出メモ".encode()
    blocks = [
        block(1, settings),
        block(2, struct.pack(">H", len(memo)) + memo + bytes(4)),
        block(3, sheet(area == 3)),
        block(4, sheet(area == 4)),
        block(5, struct.pack(">I", 6) + bytes(6 * frames)),
        block(6, bytes(2)),
        block(7, bytes(8)),
    ]
    return b"WBSC" + struct.pack(">I", 0x01000007) + b"".join(blocks)


@pytest.mark.parametrize("area", [3, 4])
def test_a_sheet_that_opentoonz_wrote_is_read(area: int) -> None:
    """Names in UTF-8, a drawing that is marked as an in-between too, and a column that ends before the cut."""
    columns = {"髪": [(1, 1), (0, 0), (3, 2), (5, 3)], "体": [(8, 0), (1, 7)]}
    cut = sxf.parse(as_opentoonz_writes(columns, 4, area), "a.sxf")
    assert shown(cut) == {"髪": [1, 1, 2, 3], "体": [0, 7, 7, 7]}
    assert (cut.fps, cut.frames, cut.scene, cut.cut, cut.title) == (24.0, 4, "1", "1", "演出メモ")


# Drawings that have names.

NAMED = (["1", "1a", "2", "1a"], ["A0001", "A0001", "A0003", "SYMBOL_NULL_CELL"], ["BG"] * 4)


def named() -> Cut:
    """A sheet of Clip Studio Paint: drawings that were put in between later, the layers' own names, a background."""
    tracks = [[entry(frame, name) for frame, name in enumerate(names)] for names in NAMED]
    held = table(field(0, *tracks), names="ABC")
    return xdts.parse(f"{XDTS}\n{json.dumps({'timeTables': [held], 'version': 5})}".encode(), "a.xdts")


@pytest.mark.parametrize("suffix", [".xdts", ".tdts"])
def test_drawings_keep_their_names_on_digital_sheets(suffix: str) -> None:
    document = json.loads(encoded(named(), f"a{suffix}").split(b"\n", 1)[1])
    (held,) = document["timeTables"] if suffix == ".xdts" else document["timeSheets"][0]["timeTables"]
    (cells,) = [one for one in held["fields"] if one["fieldId"] == (0 if suffix == ".xdts" else 4)]
    said = [[(item["frame"], item["data"][0]["values"][0]) for item in one["frames"]] for one in cells["tracks"]]
    null = "SYMBOL_NULL_CELL"
    assert said == [
        [(0, "1"), (1, "1a"), (2, "2"), (3, "1a"), (4, null)],
        [(0, "A0001"), (2, "A0003"), (3, null)],
        [(0, "BG"), (4, null)],
    ]


@pytest.mark.parametrize("suffix", [".xdts", ".tdts", ".sxf", ".celsys.csv", ".json"])
def test_names_come_back_from_formats_that_have_room_for_them(suffix: str) -> None:
    readers = {".sxf": sxf.parse, ".celsys.csv": sheet_tables.parse_csv, ".json": sheet_tables.parse_json}
    cut = named()
    back = readers.get(suffix, xdts.parse)(encoded(cut, f"a{suffix}"), f"a{suffix}")
    assert back.names == cut.names == {
        "A": {1: "1", 2: "1a", 3: "2"}, "B": {1: "A0001", 3: "A0003"}, "C": {1: "BG"},
    }  # fmt: skip
    assert shown(back) == shown(cut)
    assert not any("name" in note for note in left_out(cut, f"a{suffix}"))


@pytest.mark.parametrize("suffix", [".sts", ".tvpaint.csv", ".csv", ".txt"])
def test_formats_of_plain_numbers_tell_that_names_stay_behind(suffix: str) -> None:
    cut = named().replaced(tracks={"A": named()["A"]}, names={"A": named().names["A"]}, blank={})
    assert any("names of drawings are not written for A" in note for note in left_out(cut, f"a{suffix}"))
    assert not any("names of drawings" in note for note in left_out(cut.replaced(numbering="drawing"), f"a{suffix}"))


@pytest.mark.parametrize(
    ("suffix", "names"),
    [
        (".sxf", ["1", "A0001_final"]),
        (".sxf", ["1", "\U0001f600"]),
        (".celsys.csv", ["1", "x"]),
        (".celsys.csv", ["1", "○"]),
        (".xdts", ["1", "SYMBOL_TICK_1"]),
        (".tdts", ["2", "2"]),
        (".xdts", ["1", ""]),
    ],
)
def test_a_track_whose_names_do_not_fit_has_numbers_and_that_is_told(suffix: str, names: list[str]) -> None:
    cut = Cut({"A": Timesheet.ones(2)}, names={"A": {1: names[0], 2: names[1]}})
    assert [note for note in left_out(cut, f"a{suffix}") if "plain numbers were written for A" in note]
    readers = {".sxf": sxf.parse, ".celsys.csv": sheet_tables.parse_csv}
    back = readers.get(suffix, xdts.parse)(encoded(cut, f"a{suffix}"), f"a{suffix}")
    assert (shown(back), back.names) == ({"A": [1, 2]}, {})


def test_numbers_that_are_counted_anew_have_no_names() -> None:
    data = encoded(named().replaced(numbering="drawing"), "a.xdts")
    assert b"1a" not in data
    assert xdts.parse(data, "a.xdts").names == {}


def test_names_stand_on_the_printed_sheet() -> None:
    (page,) = printed_sheet(named())
    written = {item.text for item in page.items if isinstance(item, Text)}
    assert {"1a", "A0003", "BG"} <= written


# What stands on a sheet and is not read.


def test_the_first_of_several_sheets_is_read_and_told() -> None:
    """Toei's program keeps the sheets of cuts that share drawings side by side."""
    held = table(field(4, [entry(0, "1"), entry(2, "2")]))
    cut = xdts.parse(toei([held], [held]), "a.tdts")
    assert shown(cut) == {"A": [1, 1, 2, 2]}
    assert cut.notes == ("the file holds 2 sheets; the first was read",)


def test_columns_of_keys_alone_are_told() -> None:
    keys = field(0, [entry(0, "1", options=["OPTION_KEYFRAME"])], [entry(0, "1"), entry(2, "2")])
    held = table(keys, field(4, [entry(0, "1"), entry(2, "2")]), books=[{"fieldId": 4}], direction="ゆっくり")
    cut = xdts.parse(toei([held]), "a.tdts")
    assert shown(cut) == {"A": [1, 1, 2, 2]}
    assert next(note for note in cut.notes if "ACTION" in note).endswith(": B")
    assert [note.rpartition(": ")[2] for note in cut.notes if "Also" in note] == ["BOOK names", "the director's memo"]
    assert not xdts.parse(toei([table(keys)]), "a.tdts").notes


def test_camera_work_keeps_both_of_its_texts() -> None:
    cels = field(4, [entry(0, "1")])
    work = field(5, [entry(0, "PAN", "A → B"), entry(1, "SYMBOL_HYPHEN"), entry(3, "FIX", "")])
    cut = xdts.parse(toei([table(cels, work)]), "a.tdts")
    assert [cue[:4] for cue in cut.camera] == [(0, 2, "A → B", "PAN"), (3, 1, "FIX", "")]
    assert [cue[:4] for cue in xdts.parse(encoded(cut, "a.tdts"), "a.tdts").camera] == [cue[:4] for cue in cut.camera]
    (page,) = printed_sheet(cut)
    assert any(isinstance(item, Text) and item.text.startswith("PAN A") for item in page.items)


def test_keys_alone_in_other_formats_are_told_too() -> None:
    rows = '"Frame","原画","","動画"\n"","A","B","A"\n"1","1","1","1"\n"2","","2",""\n'
    cut = sheet_tables.parse_csv(rows.encode("cp932"), "a.csv")
    assert shown(cut) == {"A": [1, 1]}
    assert [note.rpartition(": ")[2] for note in cut.notes] == ["B"]
    keys, cels = ({"A": [(1, 1)], "B": [(1, 2)]}, {"A": [(1, 1)], "B": [(0, 0)]})
    both = as_opentoonz_writes(cels, 1)
    made = as_opentoonz_writes(keys, 1, 3)
    start, end = (made.index(bytes([0xFF, n])) for n in (3, 4))
    first, last = (both.index(bytes([0xFF, n])) for n in (3, 4))
    cut = sxf.parse(both[:first] + made[start:end] + both[last:], "a.sxf")
    assert [note.rpartition(": ")[2] for note in cut.notes] == ["B"]


def test_a_sheet_without_a_line_break_is_read() -> None:
    document = json.dumps({"timeTables": [table(field(0, [entry(0, "1")]))], "version": 5})
    for between in ("", "\r\n", " \n\n"):
        assert shown(xdts.parse(f"{XDTS}{between}{document}".encode(), "a.xdts")) == {"A": [1] * 4}


def test_the_first_drawing_after_an_empty_cel_is_a_key() -> None:
    cut = Cut.of_numbers(24, {"A": [0, 0, 4, 4, 5, 0, 6]})
    document = json.loads(encoded(cut, "a.tdts").split(b"\n", 1)[1])
    action = document["timeSheets"][0]["timeTables"][0]["fields"][0]["tracks"][0]["frames"]
    null = "SYMBOL_NULL_CELL"
    said = [(item["frame"], item["data"][0]["values"][0], "options" in item["data"][0]) for item in action]
    tick = "SYMBOL_TICK_1"
    assert said == [
        (0, null, False),
        (2, "4", True),
        (4, tick, False),
        (5, null, False),
        (6, "6", True),
        (7, null, False),
    ]
    assert sorted(cut.key_frames("A")) == [2, 6]
    keys = as_opentoonz_reads(encoded(cut, "a.sxf"), 3)["cell"]
    assert keys == {"A": [0, 0, 4, 4, 4, 0, 6]}


def test_toeis_sheet_is_laid_out_as_toeis_program_has_it() -> None:
    document = json.loads(encoded({"A": Timesheet(24, np.array([0, 1, 1, 5]))}, "a.tdts").split(b"\n", 1)[1])
    (sheet,) = document["timeSheets"]
    (held,) = sheet["timeTables"]
    assert document["version"] == 11
    assert {"cut", "scene", "episode", "showHeadDummy", "timeTableFontColors", "workSlip"} == set(sheet["header"])
    assert [header["fieldId"] for header in held["timeTableHeaders"]] == [0, 4, 3, 5]
    action = held["fields"][0]["tracks"][0]["frames"]
    assert [item["data"][0].get("options") for item in action] == [["OPTION_KEYFRAME"]] * 3 + [None]
