"""Broken and hostile MikuMikuDance files: a FormatError of one line, nothing else, and little memory."""

from __future__ import annotations

import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from mmd_files import ROTATES, Pmx, leg
from mmd_files import pmd as made_pmd

from komadori.errors import FormatError, KomadoriError
from komadori.formats.mmd import body, pmd, pmx, standard, vmd, vpd, writing
from komadori.motion import Motion

from realdata import real


def made_vmd() -> bytes:
    skeleton = body.skeleton(standard.model())
    motion = Motion(skeleton, 30.0, skeleton.rest[None], skeleton.offsets[None])
    return writing.emit(motion.taken(np.zeros(3, dtype=int)))


def made_vpd() -> bytes:
    skeleton = body.skeleton(standard.model())
    return vpd.emit(Motion(skeleton, 30.0, skeleton.rest[None], skeleton.offsets[None]))


def play(data: bytes) -> object:
    return vmd.parse(data, "bad.vmd").motion()


def build(parse: Callable[[bytes, str], object]) -> Callable[[bytes], object]:
    def run(data: bytes) -> object:
        model = parse(data, "bad.pmx")
        assert hasattr(model, "bones")
        return body.character(model)  # both parsers give a Model

    return run


FILES: dict[str, tuple[Callable[[], bytes], Callable[[bytes], object]]] = {
    "pmx": (lambda: leg(bodies=[("a", 2, 1)], joints=[(0, 0)], skinned=(2, 3)).emit(), build(pmx.parse)),
    "pmx 2.1": (lambda: leg(version=2.1, utf8=True, sizes=(4, 2, 2, 4, 2, 2), extra=2).emit(), build(pmx.parse)),
    "pmd": (made_pmd, build(pmd.parse)),
    "vmd": (made_vmd, play),
    "vpd": (made_vpd, lambda data: vpd.parse(data, "bad.vpd").motion()),
}


def survives(read: Callable[[bytes], object], data: bytes) -> bool:
    """Whether the file was read; a FormatError of one line is the only other end."""
    said = ""
    try:
        read(data)
    except FormatError as error:
        said = str(error)
    assert "\n" not in said
    return not said


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_ends_early(kind: str) -> None:
    make, read = FILES[kind]
    data = make()
    assert survives(read, data)
    step = max(1, len(data) // 400)
    ends = [survives(read, data[:size]) for size in range(0, len(data), step)]
    if kind.startswith("pmx"):
        assert not any(ends)
    assert not all(ends)


@pytest.mark.parametrize("kind", FILES)
def test_seeded_mutations(kind: str) -> None:
    make, read = FILES[kind]
    data, random = make(), np.random.default_rng(11)
    read_at_all = 0
    for _ in range(300):
        broken = bytearray(data)
        for _ in range(int(random.integers(1, 6))):
            at = int(random.integers(0, len(broken)))
            what = int(random.integers(0, 4))
            if what == 0:
                broken[at] = int(random.integers(0, 256))
            elif what == 1:
                broken[at : at + 4] = struct.pack("<I", int(random.choice([0, 1, 2**31 - 1, 2**32 - 1, 65535])))
            elif what == 2:
                broken[at : at + 4] = struct.pack("<f", float(random.choice([np.nan, np.inf, -1e38, 1e38, 0.0])))
            else:
                del broken[at : at + int(random.integers(1, 40))]
        # A frame number in the millions is honest and large: the bound on it is tested apart.
        if kind == "vmd" and len(vmd_or_none(bytes(broken))) > 20_000:
            continue
        read_at_all += survives(read, bytes(broken))
    assert 0 < read_at_all < 300


def vmd_or_none(data: bytes) -> bytes | vmd.VmdDocument:
    try:
        return vmd.parse(data, "x")
    except FormatError:
        return b""


@pytest.mark.parametrize("kind", ["pmx", "pmd", "vmd"])
def test_counts_that_lie_take_no_memory(kind: str) -> None:
    parse = {"pmx": pmx.parse, "pmd": pmd.parse, "vmd": vmd.parse}[kind]
    data = FILES[kind][0]()
    tracemalloc.start()
    for lie in (2**31 - 1, 2**32 - 1, 10_000_000):
        for at in range(0, min(len(data) - 4, 700), 2):
            survives(lambda broken: parse(broken, "lie"), data[:at] + struct.pack("<I", lie) + data[at + 4 :])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


def test_a_frame_number_of_billions_is_refused() -> None:
    data = bytearray(made_vmd())
    data[54 + 15 : 54 + 19] = struct.pack("<I", 2**32 - 1)
    with pytest.raises(FormatError, match="frame 4294967295"):
        play(bytes(data))


@pytest.mark.parametrize(
    ("data", "parse", "said"),
    [
        (b"", pmx.parse, "PMX"),
        (b"PMX \0\0\0\x40", pmx.parse, "header"),
        (b"PMX \0\0\x80\x40", pmx.parse, "2.0 or 2.1"),
        (b"glTF" + bytes(50), pmx.parse, "PMX"),
        (b"Pmx" + bytes(300), pmd.parse, "Pmd"),
        (b"Vocaloid Motion Data 0003" + bytes(100), vmd.parse, "Vocaloid"),
        (b"Vocaloid Motion Data 0002", vmd.parse, "header"),
    ],
)
def test_wrong_beginnings(data: bytes, parse: Callable[[bytes, str], object], said: str) -> None:
    with pytest.raises(FormatError, match=said):
        parse(data, "bad")


def test_numbers_that_name_nothing() -> None:
    zero = (0.0, 0.0, 0.0)
    for bones in (
        [("a", 5, zero, ROTATES, b"")],
        [("a", -1, zero, ROTATES | 0x100, struct.pack("<bf", 9, 1.0))],
        [("a", -1, zero, ROTATES | 0x20, struct.pack("<bifi", 9, 1, 1.0, 0))],
        [("a", -1, zero, ROTATES | 0x20, struct.pack("<bifibB", 0, 1, 1.0, 1, 7, 0))],
        [],
    ):
        with pytest.raises(FormatError):
            pmx.parse(Pmx(bones=bones).emit(), "bad.pmx")
    with pytest.raises(FormatError, match="rigid bodies"):
        pmx.parse(leg(joints=[(3, 0)]).emit(), "bad.pmx")


def test_an_ik_among_odd_bones_ends() -> None:
    """An IK whose links do not lead to its target, whose target is itself, or which loops a billion times."""
    zero = (0.0, 1.0, 0.0)
    for target, link, loops in ((0, 0, 3), (1, 2, 5), (2, 1, 2**31 - 1), (0, 1, -5)):
        ik = struct.pack("<bifibB", target, loops, 9.0, 1, link, 0)
        bones = [
            ("a", -1, zero, ROTATES | 0x20, ik),
            ("b", 0, zero, ROTATES, b""),
            ("c", 1, (1.0, 0.0, 0.0), ROTATES, b""),
        ]
        model = pmx.parse(Pmx(bones=bones).emit(), "odd.pmx")
        motion = vmd.parse(made_vmd(), "x").motion(model)
        assert np.isfinite(motion.world_positions()).all()


def test_append_in_a_ring_ends() -> None:
    zero = (0.0, 0.0, 0.0)
    bones = [
        ("センター", -1, zero, ROTATES | 0x100, struct.pack("<bf", 1, 1.0)),
        ("頭", 0, zero, ROTATES | 0x100, struct.pack("<bf", 0, 1.0)),
    ]
    model = pmx.parse(Pmx(bones=bones).emit(), "odd.pmx")
    assert np.isfinite(vmd.parse(made_vmd(), "x").motion(model).rotations).all()


def test_bad_text_is_read_as_far_as_it_goes() -> None:
    file = leg()
    data = file.emit().replace("センター".encode("utf-16-le"), b"\x00\xd8" * 4)
    assert "\ufffd" in pmx.parse(data, "x").bones[4].name


def test_gene_cut_short_and_stirred() -> None:
    data = real("character_mmd/Gene/Gene.pmx").read_bytes()
    random = np.random.default_rng(3)
    for size in random.integers(0, len(data), 25).tolist():
        assert not survives(build(pmx.parse), data[:size])
    for _ in range(15):
        broken = bytearray(data)
        for at in random.integers(0, len(data), 20).tolist():
            broken[at] = int(random.integers(0, 256))
        survives(build(pmx.parse), bytes(broken))


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    import komadori

    for name in ("no.vmd", "no.vpd", "no.pmx"):
        with pytest.raises(KomadoriError, match="File not found"):
            komadori.load(tmp_path / name)
