"""BVH under attack: random documents come back equal, and broken files end in one clear line, quickly and small."""

from __future__ import annotations

import random
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori.errors import FormatError
from komadori.formats import bvh
from komadori.formats.bvh import Document
from komadori.formats.bvh.document import CHANNELS
from komadori.formats.bvh.writing import safe_name, written

from realdata import DATA, WHY

finite = st.floats(-1e12, 1e12)
number = st.one_of(finite, st.integers(-(10**6), 10**6).map(lambda n: n / 1e4), st.sampled_from([0.0, -0.0, 1e-320]))


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Any hierarchy in depth-first order, with any channels, names and numbers."""
    joints = draw(st.integers(1, 8))
    parents, ends, names = [-1], [False], [safe_name(draw(st.text(max_size=8)))]
    open_joints = [0]
    for joint in range(1, joints):
        keep = draw(st.integers(0, len(open_joints)))
        del open_joints[keep:]
        parent = open_joints[-1] if open_joints else -1
        end = parent >= 0 and draw(st.booleans())
        parents.append(parent)
        ends.append(end)
        names.append("End Site" if end else safe_name(draw(st.text(max_size=8))))
        if not end:
            open_joints.append(joint)
    channels = tuple(() if end else tuple(draw(st.permutations(CHANNELS))[: draw(st.integers(0, 6))]) for end in ends)
    width = sum(map(len, channels))
    frames = draw(st.integers(0, 4)) if width else 0
    values = draw(st.lists(number, min_size=frames * width, max_size=frames * width))
    offsets = draw(st.lists(number, min_size=3 * joints, max_size=3 * joints))
    time = draw(st.sampled_from([".0083333", "0.041708", "0.04", "1e-3", "7"]))
    return Document(
        names=tuple(names),
        parents=np.array(parents),
        offsets=np.array(offsets).reshape(joints, 3),
        channels=channels,
        ends=np.array(ends),
        frame_time_text=time,
        frame_time_s=float(time),
        declared=frames,
        values=np.array(values, dtype=np.float64).reshape(frames, width),
    )


@settings(max_examples=200)
@given(documents())
def test_written_then_read_is_equal(document: Document) -> None:
    back = bvh.parse(written(document), "a.bvh")
    assert back.names == document.names
    assert back.channels == document.channels
    assert back.parents.tolist() == document.parents.tolist()
    assert back.ends.tolist() == document.ends.tolist()
    assert back.frame_time_text == document.frame_time_text
    assert back.offsets.view(np.uint64).tolist() == document.offsets.view(np.uint64).tolist()
    assert back.values.shape == document.values.shape
    assert back.values.view(np.uint64).tolist() == document.values.view(np.uint64).tolist()


@settings(max_examples=60)
@given(documents())
def test_what_was_read_is_written_the_same_through_a_motion(document: Document) -> None:
    motion = bvh.parse(written(document), "a.bvh").motion()
    assert len(set(motion.skeleton.names)) == len(motion.skeleton)
    assert bvh.emit(motion) == written(document)


@settings(max_examples=200)
@given(st.binary(max_size=300))
def test_any_bytes_end_in_a_format_error(data: bytes) -> None:
    for attempt in (data, b"HIERARCHY\n" + data, b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nMOTION\n" + data):
        attacked(attempt)


def attacked(data: bytes) -> bool:
    """Whether `data` was read; what is refused is refused in one line."""
    try:
        motion = bvh.parse(data, "a.bvh").motion()
    except FormatError as caught:
        message = str(caught)
    else:
        bvh.emit(motion)
        return True
    assert "\n" not in message
    assert message.startswith("a.bvh")
    return False


def mutated(data: bytes, rng: random.Random) -> bytes:
    """`data` with a few bytes or lines flipped, dropped, doubled or made up."""
    for _ in range(rng.randint(1, 2)):
        at = rng.randrange(len(data) + 1)
        lines = data.split(b"\n")
        row = rng.randrange(len(lines))
        kind = rng.randrange(10)
        if kind == 9:
            data = data[:at] + data[at:].replace(b"0", str(rng.randrange(10**6)).encode(), 1)
        elif kind == 0:
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
        elif kind == 1:
            data = data[:at] + data[at + rng.randint(1, 20) :]
        elif kind == 2:
            data = (
                data[:at] + bytes(rng.choices(b"{}-+.eE:0123456789 \t\r\n\x00\xff,", k=rng.randint(1, 12))) + data[at:]
            )
        elif kind == 3:
            data = b"\n".join(lines[:row] + lines[row : row + 1] * rng.randint(2, 4) + lines[row + 1 :])
        elif kind == 4:
            data = b"\n".join(lines[:row] + lines[row + 1 :])
        elif kind == 5:
            data = b"\n".join(lines[:row] + lines[row : row + 4][::-1] + lines[row + 4 :])
        elif kind == 6:
            data = data[:at]
        elif kind == 7:
            word = rng.choice([b"nan", b"1e999", b"999999999999999999", b"-1", b"", b"1_0", b"CHANNELS 6", b"End Site"])
            words = lines[row].split(b" ")
            words[rng.randrange(len(words))] = word
            data = b"\n".join([*lines[:row], b" ".join(words), *lines[row + 1 :]])
        else:
            data = data.replace(b"Frames:", b"Frames: " + str(10 ** rng.randint(1, 17)).encode())
    return data


def clips() -> list[tuple[str, bytes]]:
    """The hierarchies of real files with their first few rows: small enough to be broken by the hundred."""
    assert DATA is not None
    found = []
    for path in sorted(DATA.glob("*_bvh*/*.bvh")):
        data = path.read_bytes()
        at = -1 if len(data) < 3000 else data.upper().find(b"MOTION")
        rows = re.sub(rb"(?i)frames[ \t]*:[ \t]*[0-9]+", b"Frames: 3", data[at:]).split(b"\n")[:6]
        found.append((path.name, data[:at] + b"\n".join(rows) if at >= 0 else data))
    return found


@pytest.mark.skipif(DATA is None, reason=WHY)
@pytest.mark.parametrize("seed", range(4))
def test_broken_real_files_end_in_one_line_or_are_read(seed: int) -> None:
    rng = random.Random(seed)
    read = refused = 0
    samples = clips()
    for _ in range(120):
        name, data = rng.choice(samples)
        broken = mutated(data, rng)
        tracemalloc.start()
        try:
            whole = attacked(broken)
            peak = tracemalloc.get_traced_memory()[1]
        except BaseException:
            print(f"seed {seed}: a broken {name} escaped:", broken[:2000])
            raise
        finally:
            tracemalloc.stop()
        assert peak < 2_000_000 + 60 * len(broken), f"{name}: {peak:,} bytes for {len(broken):,}"
        read += whole
        refused += not whole
    # Both happen, or the test has lost its teeth.
    assert read >= 4
    assert refused > 20


@pytest.mark.parametrize(
    "header",
    [
        b"Frames: 999999999999999999\nFrame Time: 0.1\n",
        b"Frames: 1000000000\nFrame Time: 0.1\n1 2 3\n",
        b"Frames: " + b"9" * 5000 + b"\nFrame Time: 0.1\n",
    ],
)
def test_a_lying_header_takes_no_memory(header: bytes) -> None:
    head = b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}\nMOTION\n"
    tracemalloc.start()
    assert not attacked(head + header)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


@pytest.mark.parametrize(
    "filler", [b"{", b"}", b".", b"-", b"1", b" ", b"\n", b"\x00", b"OFFSET ", b"ROOT ", b"1 ", b"1.5\r"]
)
@pytest.mark.parametrize("motion", [False, True])
def test_much_of_one_thing_takes_bounded_memory(filler: bytes, motion: bool) -> None:
    head = b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}\n"
    data = head + (b"MOTION\nFrames: 2\nFrame Time: 0.1\n" if motion else b"") + filler * (100_000 // len(filler))
    tracemalloc.start()
    attacked(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 80 * len(data)


def test_a_large_clip_takes_little_more_than_its_arrays(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    head = "HIERARCHY\nROOT j0\n{\nOFFSET 0 0 0\nCHANNELS 6 " + " ".join(CHANNELS) + "\n"
    head += "".join(f"JOINT j{n}\n{{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n" for n in range(1, 20))
    rows = "\n".join(" ".join(f"{value:.4f}" for value in row) for row in rng.uniform(-90, 90, (2000, 63)).tolist())
    data = f"{head}{'}' * 20}\nMOTION\nFrames: 2000\nFrame Time: 0.01\n{rows}\n".replace("}", "}\n").encode()
    tracemalloc.start()
    motion = bvh.parse(data, "a.bvh").motion("cm")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    arrays = motion.rotations.nbytes + motion.positions.nbytes + 8 * 63 * 2000
    assert peak < 3 * arrays
