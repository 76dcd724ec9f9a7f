"""A small file takes little memory and little time: both are budgeted by the size of what is read, before they are spent."""

from __future__ import annotations

import json
import struct
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from komadori import formats
from komadori.characters.samples import sample
from komadori.errors import FormatError, KomadoriError, OptionError
from komadori.formats import bvh, rigid, sheet_tables, xdts
from komadori.formats.gltf.container import data_uri
from komadori.formats.mmd import textures, vmd
from komadori.formats.puppet.reading import parse as parse_puppet
from komadori.motion import Motion
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet

HEAD = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 3 Zrotation Xrotation Yrotation "
MOTION = "}\nMOTION\nFrames: %d\nFrame Time: %s\n"
SLOW = HEAD + "End Site { OFFSET 0 1 0 } " + MOTION % (3, "1000000") + "0 0 0\n10 0 0\n20 0 0\n"
BUDGET = 500_000_000


def peak_of(work: Callable[[], object]) -> int:
    """The memory that `work` takes, whether it ends in an error of ours or not."""
    tracemalloc.start()
    try:
        work()
    except KomadoriError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


def growth_of(work: Callable[[int], object], size: int) -> float:
    """How many times the work grows when its input is four times as large: about 4, or 16 where it grows with the square."""

    def spent(count: int) -> float:
        begin = time.process_time()
        work(count)
        return time.process_time() - begin

    return min(spent(4 * size) for _ in range(3)) / min(spent(size) for _ in range(3))


def test_frames_days_apart_are_not_laid_out(tmp_path: Path) -> None:
    path = tmp_path / "slow.bvh"
    path.write_text(SLOW)
    motion = formats.load(path)
    for suffix in (".vmd", ".vrma", ".glb"):
        assert peak_of(lambda: formats.save(motion, tmp_path / f"out{suffix}")) < BUDGET, suffix  # noqa: B023
    with pytest.raises(OptionError, match="lasts 3,000,000 s"):
        motion.resampled(24.0)


def test_what_is_honest_is_resampled() -> None:
    clip = sample("pitch")
    assert len(clip.resampled(1000.0)) > 40 * len(clip)
    hour = clip[:1].taken(np.zeros(3600, dtype=int))
    assert len(type(hour)(hour.skeleton, 1.0, hour.rotations, hour.positions).resampled(24.0)) == 3599 * 24 + 1


def test_a_chain_that_grows_for_a_long_time_is_refused(tmp_path: Path) -> None:
    count, numbers = 3000, struct.pack("<8f", 0.0, 16.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0)
    nodes: list[dict[str, object]] = [{"name": f"n{n}", "children": [n + 1]} for n in range(count - 1)]
    channels = [{"sampler": 0, "target": {"node": n, "path": "scale"}} for n in range(count)]
    held = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [*nodes, {"name": "last"}],
        "buffers": [{"byteLength": 32, "uri": data_uri(numbers)}],
        "bufferViews": [{"buffer": 0, "byteLength": 8}, {"buffer": 0, "byteOffset": 8, "byteLength": 24}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [16]},
            {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3"},
        ],
        "animations": [{"samplers": [{"input": 0, "output": 1}], "channels": channels}],
    }
    path = tmp_path / "a.gltf"
    path.write_text(json.dumps(held))
    with pytest.raises(FormatError, match="sane length"):
        formats.load(path)


def test_a_puppet_of_very_many_keys_is_refused() -> None:
    for joints, keys in ((1, 9000), (5000, 1900)):
        tree = [{"name": f"j{n}", "parent": "j0" if n else None, "offset": [0, 1, 0]} for n in range(joints)]
        rows = [{"position": [n, 0, 0]} for n in range(keys)]
        held = {"komadori": "puppet", "version": 1, "skeleton": {"joints": tree}, "keys": rows}
        data = json.dumps(held).encode()
        with pytest.raises(FormatError, match=" keys"):
            parse_puppet(data, "p.json")
        assert peak_of(lambda: parse_puppet(data, "p.json")) < 100 * len(data)  # noqa: B023


def test_a_key_in_the_far_future_is_refused() -> None:
    head = b"Vocaloid Motion Data 0002".ljust(30, b"\0") + b"model".ljust(20, b"\0")
    key = "センター".encode("cp932").ljust(15, b"\0") + struct.pack("<I7f", 250_000, 0, 0, 0, 0, 0, 0, 1) + bytes(64)
    data = head + struct.pack("<I", 1) + key + bytes(20)
    with pytest.raises(FormatError, match="keys up to frame"):
        vmd.parse(data, "a.vmd").motion()


def test_a_packed_picture_of_any_size_is_left_out() -> None:
    head = struct.pack("<BBB5xHHHHBB", 0, 0, 10, 0, 0, 65535, 65535, 32, 0)
    assert peak_of(lambda: textures._tga(head + b"\xff\1\2\3\4" * 200_000)) < 10_000_000
    small = struct.pack("<BBB5xHHHHBB", 0, 0, 10, 0, 0, 16, 8, 32, 0)
    assert textures._tga(small + b"\xff\1\2\3\4") is not None


def one_line(joints: int) -> bytes:
    each = "JOINT j%d { OFFSET 0 1 0 CHANNELS 3 Zrotation Xrotation Yrotation } "
    return (HEAD + "".join(each % n for n in range(joints)) + MOTION % (0, "0.1")).encode()


def roots(count: int) -> bytes:
    nodes = [{"name": f"n{n}"} for n in range(count)]
    return json.dumps({"asset": {"version": "2.0"}, "scenes": [{"nodes": list(range(count))}], "nodes": nodes}).encode()


def equal_tracks(count: int) -> bytes:
    frames = [{"frame": 0, "data": [{"id": 0, "values": ["1"]}]}]
    table = {
        "duration": 2,
        "timeTableHeaders": [{"fieldId": 0, "names": ["A"] * count}],
        "fields": [{"fieldId": 0, "tracks": [{"trackNo": n, "frames": frames} for n in range(count)]}],
    }
    return f"{xdts.FIRST_LINE}\n{json.dumps({'timeTables': [table], 'version': 5})}\n".encode()


def test_a_hierarchy_on_one_line_takes_time_by_its_length() -> None:
    files = {count: one_line(count) for count in (6000, 24000)}
    assert growth_of(lambda count: bvh.reading.parse(files[count], "a.bvh"), 6000) < 8.0


def test_very_many_roots_take_time_by_their_number(tmp_path: Path) -> None:

    def scene(count: int) -> None:
        path = tmp_path / f"{count}.gltf"
        path.write_bytes(roots(count))
        formats.load_character(path)

    assert growth_of(scene, 3000) < 8.0


def test_equal_names_take_time_by_their_number() -> None:
    sheets = {count: equal_tracks(count) for count in (1500, 6000)}
    assert growth_of(lambda count: xdts.parse(sheets[count], "a.xdts"), 1500) < 8.0
    assert growth_of(lambda count: rigid.different(["A"] * count), 2000) < 8.0
    assert rigid.different(["A", "A.2", "A", "A"]) == ("A", "A.2", "A.3", "A.4")


def test_one_name_twice_among_very_many_is_found_in_one_go() -> None:
    def made(count: int) -> None:
        with pytest.raises(OptionError, match="found 'last' twice"):
            Skeleton((*map(str, range(count)), "last", "last"), np.arange(-1, count + 1), np.zeros((count + 2, 3)))

    assert growth_of(made, 2000) < 8.0


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".gltf", ".vrma", ".vmd"])
@pytest.mark.parametrize("far", [1e11, 1e13, 1e30, 1e305])
def test_what_we_write_we_read(suffix: str, far: float, tmp_path: Path) -> None:
    clip = sample("pitch")[:4]
    places = np.array(clip.positions)
    places[2, 0, 1] = far
    away = Motion(clip.skeleton, clip.fps, clip.rotations, places)
    try:
        formats.save(away, tmp_path / f"a{suffix}")
    except OptionError:
        assert not list(tmp_path.iterdir())
    else:
        assert far < 1e12
        formats.load(tmp_path / f"a{suffix}")


def test_a_vmd_holds_finite_numbers(tmp_path: Path) -> None:
    clip = sample("pitch")[:4]
    places = np.full(clip.positions.shape, np.nan)
    with pytest.raises(OptionError, match="not finite"):
        formats.save(Motion(clip.skeleton, 30.0, clip.rotations, places), tmp_path / "a.vmd")


@pytest.mark.parametrize("name", ["=1+1", "+A", "-A", "@A", "'=A", "''-A", "'A", "A"])
def test_a_spreadsheet_computes_nothing_of_ours(name: str) -> None:
    sheet = Timesheet(24.0, np.array([0, 0, 3]))
    data = sheet_tables.emit_csv({name: sheet})
    cells = [cell for line in data.decode("utf-8-sig").splitlines() for cell in line.split(",")]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert list(sheet_tables.parse_csv(data, "a.csv")) == [name]
