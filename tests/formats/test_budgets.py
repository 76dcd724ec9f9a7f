"""A small file takes little memory and little time: both are budgeted by the size of what is read, before they are spent."""

from __future__ import annotations

import csv
import io
import json
import struct
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from komadori import formats, roles
from komadori.characters import character
from komadori.characters.samples import sample
from komadori.cut import Cue, Cut
from komadori.errors import FormatError, KomadoriError, OptionError
from komadori.formats import ae_keys, bvh, celsys_csv, rigid, sheet_tables, trace, tvpaint_csv, xdts
from komadori.formats.gltf.container import data_uri
from komadori.formats.mmd import textures, vmd
from komadori.formats.puppet.reading import parse as parse_puppet
from komadori.formats.smpl.reading import parse as parse_smpl
from komadori.methods.puppet import Key, Puppet
from komadori.methods.puppet import parsed as parsed_script
from komadori.motion import Motion
from komadori.render.body import body_of
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
    with pytest.raises(FormatError, match="plausible length"):
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


def test_a_script_of_ten_hours_is_not_performed() -> None:
    clip = sample("pitch")
    puppet = Puppet(clip.skeleton, [Key(np.zeros(3), clip.pose(0)), Key(np.ones(3), clip.pose(9))])
    take = parsed_script("seconds = 36000\nx = sin(t)\n").take()
    with pytest.raises(OptionError, match=r"at most \d+ frames at 24 fps, found 36000 s"):
        puppet.perform(take)
    assert len(puppet.perform(parsed_script("seconds = 600\nx = sin(t)\n").take())) == 14401


def test_zeros_that_were_packed_are_not_unpacked() -> None:
    file = io.BytesIO()
    np.savez_compressed(file, poses=np.zeros((90_000, 72)), trans=np.zeros((90_000, 3)), mocap_framerate=np.array(60.0))
    assert peak_of(lambda: parse_smpl(file.getvalue(), "a.npz")) < 60 * len(file.getvalue())
    with pytest.raises(FormatError, match=r"at most .* bytes"):
        parse_smpl(file.getvalue(), "a.npz")


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


KEYS = f"{ae_keys.FIRST}\r\n\r\n\tUnits Per Second\t24\r\n\r\nTime Remap\r\n\t0\t0\t\r\n\t1000000\t1\t\r\n{ae_keys.LAST}\r\n"
LONG = {"komadori": "timesheet", "version": 1, "fps": 24, "frames": 300_000, "tracks": {"A": {"source": [0]}}}
WIDE = {**LONG, "frames": 2, "tracks": {str(n): {"source": [0] * (20_000 if n == 0 else 1)} for n in range(900)}}


@pytest.mark.parametrize(
    ("data", "parse"),
    [
        (KEYS.encode(), ae_keys.parse),
        (json.dumps(LONG).encode(), sheet_tables.parse_json),
        (json.dumps(WIDE).encode(), sheet_tables.parse_json),
        (b",".join(b"%d source" % n for n in range(900)) + b"\n" + b"0\n" * 900, sheet_tables.parse_csv),
        ("Frame,動画\n,{}\n{}".format(",".join(["A"] * 900), "1,1\n" * 900).encode(), celsys_csv.parse),
    ],
    ids=["a far key", "a long cut", "one long track", "short rows", "short rows of Celsys"],
)
def test_a_small_sheet_does_not_fill_hours_of_film(data: bytes, parse: Callable[[bytes, str], object]) -> None:
    with pytest.raises(FormatError, match=r"frames in total|whole number from"):
        parse(data, "a")


def test_a_sheet_that_would_be_refused_is_not_written() -> None:
    held = Cut({"A": Timesheet(24.0, np.zeros(300_000, dtype=int))})
    for suffix in (".xdts", ".tdts"):
        with pytest.raises(OptionError, match="the sheet has 300000"):
            formats.encoded(held, f"a{suffix}")
    drawn = Cut({"A": Timesheet.on(2, 300_000)})
    for suffix in (".xdts", ".json"):
        data = formats.encoded(drawn, f"a{suffix}")
        assert (xdts.parse if suffix == ".xdts" else sheet_tables.parse_json)(data, "a") == dict(drawn)


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


def deep(joints: int) -> str:
    """A BVH of one chain."""
    below = "JOINT b { OFFSET 0 1 0 CHANNELS 3 Zrotation Xrotation Yrotation " * joints
    numbers = " 0" * (3 * joints + 3)
    return f"{HEAD}{below}End Site {{ OFFSET 0 1 0 }}{' }' * joints} {MOTION % (1, '0.04')}{numbers}\n"


def test_a_body_of_very_many_joints_takes_time_by_their_number(tmp_path: Path) -> None:
    """What every command asks of a body: its roles, its levels and how it is drawn as a skeleton."""
    clips: dict[int, Motion] = {}
    for count in (1500, 6000):
        path = tmp_path / f"{count}.bvh"
        path.write_text(deep(count))
        clips[count] = formats.load(path)

    def asked(count: int) -> None:
        clip = clips[count]
        skeleton = replace(clip.skeleton)
        assert len(skeleton.levels) == len(skeleton)
        roles.body_plan(skeleton, clip.pose(0))
        body_of(skeleton, np.zeros((len(skeleton), 3)))

    assert growth_of(asked, 1500) < 8.0


def test_a_pose_is_laid_out_as_by_the_kinematics() -> None:
    clip = sample("kick")
    pose = clip.pose(20)
    placed = roles._world(clip.skeleton, pose)
    assert np.abs(placed - clip.world_positions()[20]).max() < 1e-12


def test_one_name_twice_among_very_many_is_found_in_one_go() -> None:
    def made(count: int) -> None:
        with pytest.raises(OptionError, match="two joints are called 'last'"):
            Skeleton((*map(str, range(count)), "last", "last"), np.arange(-1, count + 1), np.zeros((count + 2, 3)))

    assert growth_of(made, 2000) < 8.0


def test_a_held_pose_of_an_hour_is_read_again(tmp_path: Path) -> None:
    """Its joints take one key each: a reader that budgets by the file's size must not take it for a bomb."""
    pose = sample("pitch")[:1]
    held = pose.taken(np.zeros(40_000, dtype=int))
    formats.save(held, tmp_path / "a.glb")
    assert len(formats.load(tmp_path / "a.glb")) == len(held)


def test_a_vmd_that_moves_for_a_quarter_of_an_hour_is_written_and_read_as_vrma(tmp_path: Path) -> None:
    """Few keys, far apart: as many frames as a small VMD may come to must not be a bomb when they come back."""
    clip = sample("pitch")[:2]
    frames = 27_500
    long = clip.taken(np.repeat([0, 1], frames // 2))
    formats.save(long, tmp_path / "a.vrma")
    assert len(formats.load(tmp_path / "a.vrma")) == frames
    assert peak_of(lambda: formats.load(tmp_path / "a.vrma")) < BUDGET


@pytest.mark.parametrize("suffix", [".glb", ".fbx", ".bvh", ".vrm"])
@pytest.mark.parametrize("far", [1e13, 1e200])
def test_a_body_beyond_all_measure_is_not_written(suffix: str, far: float, tmp_path: Path) -> None:
    girl = character("mannequin")
    binds, offsets, vertices = np.array(girl.binds), np.array(girl.skeleton.offsets), np.array(girl.meshes[0].vertices)
    binds[3, 0, 3] = offsets[3, 0] = vertices[3, 0] = far
    bodies = [
        replace(girl, binds=binds),
        replace(girl, skeleton=replace(girl.skeleton, offsets=offsets)),
        replace(girl, meshes=(replace(girl.meshes[0], vertices=vertices), *girl.meshes[1:])),
    ]
    clip = sample("pitch")[:4]
    clips = [
        Motion(replace(clip.skeleton, offsets=offsets[: len(clip.skeleton)]), 24.0, clip.rotations, clip.positions)
    ]
    for thing in clips if suffix == ".bvh" else bodies:
        with pytest.raises(OptionError):
            formats.save(thing, tmp_path / f"a{suffix}")
    assert not list(tmp_path.iterdir())


def test_a_frame_of_a_century_is_refused(tmp_path: Path) -> None:
    clip = sample("pitch")[:4]
    longest = clip.taken(np.arange(3000) % 4)
    with pytest.raises(OptionError, match="FBX counts at most"):
        formats.save(Motion(clip.skeleton, 1e-6, longest.rotations, longest.positions), tmp_path / "a.fbx")
    with pytest.raises(OptionError, match="fps"):
        formats.save(Motion(clip.skeleton, 1e-8, clip.rotations, clip.positions), tmp_path / "a.bvh")
    rates = np.array(1e-300)
    np.savez(tmp_path / "a.npz", poses=np.zeros((4, 72)), trans=np.zeros((4, 3)), mocap_framerate=rates)
    with pytest.raises(FormatError, match="a frame rate from"):
        formats.load(tmp_path / "a.npz")


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


@pytest.mark.parametrize("name", ["=1+1", "+A", "-A", "@A", "＝A", "'=A", "''-A", "'A", "A"])
@pytest.mark.parametrize(
    ("emit", "parse"),
    [
        (sheet_tables.emit_csv, sheet_tables.parse_csv),
        (celsys_csv.emit, celsys_csv.parse),
        (tvpaint_csv.emit, tvpaint_csv.parse),
    ],
)
def test_a_spreadsheet_computes_nothing_of_ours(
    emit: Callable[[Cut], bytes], parse: Callable[[bytes, str], Cut], name: str
) -> None:
    cue = Cue(0, 1, name, name, name)
    plain_cue = Cue(1, 1, name, "", name)
    sheet = Timesheet(24.0, np.array([0, 0, 3]))
    cut = Cut({name: sheet}, title=name, dialogue=(cue, plain_cue), names={name: {1: name, 4: "4"}})
    data = emit(cut)
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig")), skipinitialspace=True))
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "＝"))]
    found = parse(data, "a.csv")
    assert list(found) == [name]
    assert found.title in ("", name)
    if found.dialogue:
        assert found.dialogue == (cue, plain_cue)


def test_a_trace_of_a_strand_called_like_a_formula_is_not_written_as_a_table() -> None:
    table = b"# chain: %s\nx0,y0,x1,y1\n0,0,0,-1\n0,0,0.1,-1\n"
    for name in ("a,=1+1", "a; @b"):
        stroke = trace.parse_csv(table % name.encode(), "a.csv")
        with pytest.raises(OptionError, match="a table cannot hold the name"):
            trace.emit_csv(stroke)
    assert trace.emit_csv(trace.parse_csv(table % b"a, b", "a.csv"))
