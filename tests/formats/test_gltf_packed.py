"""glTF with compressed geometry, files as large as real ones are, and faults that a file leaves behind here."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from extras import needs
from gltf_files import Handmade, arm, glb
from gltf_judge import faults, needs_judge, said_of
from numpy.typing import NDArray

import komadori
from komadori.character import Character
from komadori.characters import character as built_in
from komadori.errors import FormatError, KomadoriError, OptionError
from komadori.formats import gltf
from komadori.skinning import skinned

from realdata import real

with_draco, with_meshopt = needs("DracoPy"), needs("meshoptimizer")
DRACO, MESHOPT = "KHR_draco_mesh_compression", "EXT_meshopt_compression"


def parts(data: bytes) -> tuple[dict[str, Any], bytes]:
    length = int.from_bytes(data[12:16], "little")
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def dracoed(data: bytes) -> bytes:
    """A .glb with every primitive compressed by Draco, losslessly for all but places (16 bits)."""
    import DracoPy

    document, made = gltf.parse(data, "a.glb"), Handmade()
    value, binary = parts(data)
    made.json, made.data = value, binary[: value["buffers"][0]["byteLength"]]
    del made.json["buffers"]
    for mesh in made.json["meshes"]:
        for primitive in mesh["primitives"]:
            given = {name: document.accessor(number) for name, number in primitive["attributes"].items()}
            faces = document.accessor(primitive["indices"]).reshape(-1, 3).astype(np.uint32)
            others = [name for name in given if name != "POSITION"]
            packed = DracoPy.encode(
                given["POSITION"].astype(np.float32),
                faces,
                quantization_bits=16,
                preserve_order=True,
                generic_attributes={5 + place: np.ascontiguousarray(given[name]) for place, name in enumerate(others)},
            )
            (own,) = (one["unique_id"] for one in DracoPy.decode(packed).attributes if one["attribute_type"] == 0)
            names = {"POSITION": own, **{name: 5 + place for place, name in enumerate(others)}}
            primitive["extensions"] = {DRACO: {"bufferView": made.view(packed), "attributes": names}}
            for number in (*primitive["attributes"].values(), primitive["indices"]):
                made.json["accessors"][number].pop("bufferView", None)
                made.json["accessors"][number].pop("byteOffset", None)
    made.json["extensionsUsed"] = made.json["extensionsRequired"] = [DRACO]
    return made.glb()


def meshopted(data: bytes, required: bool = True, name: str = MESHOPT) -> bytes:
    """A .glb with every buffer view that holds vertices, keys or indices compressed by meshopt."""
    import meshoptimizer

    value, binary = parts(data)
    document = gltf.parse(data, "a.glb")
    packed = b""
    uses: dict[int, list[dict[str, Any]]] = {}
    for accessor in value["accessors"]:
        uses.setdefault(accessor["bufferView"], []).append(accessor)
    indices = {p["indices"] for mesh in value["meshes"] for p in mesh["primitives"] if "indices" in p}
    for number, view in enumerate(value["bufferViews"]):
        own = uses.get(number, [])
        if len(own) != 1:
            continue
        raw = bytes(document.view(number)[0])
        size = {5121: 1, 5123: 2, 5125: 4, 5126: 4}[own[0]["componentType"]]
        width = size * {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[own[0]["type"]]
        count = own[0]["count"]
        if value["accessors"].index(own[0]) in indices:
            flat = np.frombuffer(raw, dtype=f"<u{size}")[:count].astype(np.uint32)
            made, mode = meshoptimizer.encode_index_buffer(flat, count, int(flat.max()) + 1), "TRIANGLES"
        elif width % 4 == 0:
            rows = np.frombuffer(raw, dtype=np.uint8)[: count * width].view(np.float32).reshape(count, -1)
            made, mode = meshoptimizer.encode_vertex_buffer(rows.copy(), count, width), "ATTRIBUTES"
        else:
            continue
        place = {"buffer": 1, "byteOffset": len(packed), "byteLength": len(made)}
        view["extensions"] = {name: {**place, "byteStride": width, "count": count, "mode": mode}}
        packed += bytes(made) + bytes(-len(made) % 4)
    assert packed
    (plain,) = value["buffers"]
    value["buffers"] = [
        {**plain, "uri": gltf_uri(binary[: plain["byteLength"]]), "extensions": {name: {"fallback": True}}},
        {"byteLength": len(packed), "uri": gltf_uri(packed)},
    ]
    value["extensionsUsed"] = [name]
    if required:
        value["extensionsRequired"] = [name]
    return json.dumps(value).encode()


def gltf_uri(data: bytes) -> str:
    from base64 import b64encode

    return "data:application/octet-stream;base64," + b64encode(data).decode()


def girl() -> bytes:
    return komadori.formats.encoded(built_in("girl"), "a.glb")


def turned(triangles: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each triangle from its lowest corner on: a codec may begin with another."""
    first = triangles.argmin(axis=1)[:, None]
    return np.take_along_axis(triangles, (first + np.arange(3)) % 3, axis=1)


def same(a: Character, b: Character, within: float) -> None:
    assert a.skeleton.names == b.skeleton.names
    assert [len(mesh.triangles) for mesh in a.meshes] == [len(mesh.triangles) for mesh in b.meshes]
    for mesh, other in zip(a.meshes, b.meshes, strict=True):
        assert np.array_equal(turned(mesh.triangles), turned(other.triangles))
        assert np.array_equal(mesh.joints, other.joints)
        np.testing.assert_allclose(other.weights, mesh.weights, atol=1e-6)
        np.testing.assert_allclose(other.normals, mesh.normals, atol=1e-6)
    assert np.abs(skinned(a, a.rest)[0] - skinned(b, b.rest)[0]).max() < within


@with_draco
def test_draco(tmp_path: Path) -> None:
    plain = girl()
    (tmp_path / "a.glb").write_bytes(dracoed(plain))
    (tmp_path / "plain.glb").write_bytes(plain)
    whole = komadori.load_character(tmp_path / "plain.glb")
    same(whole, komadori.load_character(tmp_path / "a.glb"), 2e-5)
    # It leaves uncompressed and whole.
    komadori.save(komadori.load_character(tmp_path / "a.glb"), tmp_path / "b.glb")
    assert DRACO.encode() not in (tmp_path / "b.glb").read_bytes()
    same(whole, komadori.load_character(tmp_path / "b.glb"), 2e-5)


@with_meshopt
@pytest.mark.parametrize("name", [MESHOPT, "KHR_meshopt_compression"])
def test_meshopt(name: str, tmp_path: Path) -> None:
    plain = girl()
    (tmp_path / "a.gltf").write_bytes(meshopted(plain, name=name))
    (tmp_path / "plain.glb").write_bytes(plain)
    whole = komadori.load_character(tmp_path / "plain.glb")
    same(whole, komadori.load_character(tmp_path / "a.gltf"), 1e-12)
    komadori.save(komadori.load_character(tmp_path / "a.gltf"), tmp_path / "b.glb")
    assert b"meshopt" not in (tmp_path / "b.glb").read_bytes()
    same(whole, komadori.load_character(tmp_path / "b.glb"), 1e-12)


@with_meshopt
def test_filters_of_meshopt() -> None:
    """Octahedral normals of 8 bits, quaternions of 16 bits and exponential places, decoded as meshopt's specification says."""
    import meshoptimizer

    from komadori.formats.gltf.packed import unpacked

    made = arm()
    normals = np.array([[127, 0, 127, 0], [0, 127, 127, 0], [0, 0, 127, 0], [-127, 0, 127, 0]], dtype=np.int8)
    places = np.array([[1 << 3, 3, -5]] * 4, dtype=np.int32) | np.int32(0)
    exponential = ((np.array([-3]).astype(np.int8).astype(np.uint8).astype(np.uint32)) << 24) | (places & 0xFFFFFF)
    quaternion = np.array([[0, 0, 0, 3 | (16383 & ~3)]] * 4, dtype=np.int16)
    given = (
        ("OCTAHEDRAL", normals, 4),
        ("EXPONENTIAL", exponential.astype(np.uint32), 12),
        ("QUATERNION", quaternion, 8),
    )
    numbers = []
    for name, rows, stride in given:
        packed = meshoptimizer.encode_vertex_buffer(
            rows.view(np.uint8).view(np.float32).reshape(4, -1).copy(), 4, stride
        )
        source = made.view(bytes(packed))
        numbers.append(made.view(bytes(4 * stride)))
        value = {
            **made.json["bufferViews"][source],
            "byteStride": stride,
            "count": 4,
            "mode": "ATTRIBUTES",
            "filter": name,
        }
        made.json["bufferViews"][numbers[-1]]["extensions"] = {MESHOPT: value}
    made.json["extensionsRequired"] = [MESHOPT]
    document = gltf.parse(made.glb(), "a.glb")
    turned, moved, spun = (
        np.frombuffer(document.view(number)[0], dtype=kind)
        for number, kind in zip(numbers, ("i1", "<f4", "<i2"), strict=True)
    )
    np.testing.assert_allclose(turned.reshape(4, 4)[:3, :3] / 127.0, np.eye(3), atol=0.01)
    np.testing.assert_allclose(moved.reshape(4, 3), [[1.0, 0.375, -0.625]] * 4)
    np.testing.assert_allclose(np.linalg.norm(spun.reshape(4, 4) / 32767.0, axis=1), 1.0, atol=1e-3)
    assert unpacked(document) is document


def test_without_the_codecs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("DracoPy")
    pytest.importorskip("meshoptimizer")
    plain = girl()
    files = {"draco.glb": dracoed(plain), "must.gltf": meshopted(plain), "may.gltf": meshopted(plain, required=False)}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    for library in ("DracoPy", "meshoptimizer"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(OptionError, match=r"pip install 'komadori\[compressed\]'"):
        komadori.load_character(tmp_path / "draco.glb")
    # The joints of a file with compressed meshes are plain.
    assert len(komadori.load(tmp_path / "draco.glb").skeleton) > 20
    with pytest.raises(OptionError, match="meshoptimizer"):
        komadori.load(tmp_path / "must.gltf")
    # Where compression is not required, the plain bytes are there as well.
    assert komadori.load_character(tmp_path / "may.gltf").meshes


@pytest.mark.parametrize("kind", ["draco", "meshopt"])
def test_spoilt_compression_gives_one_line(kind: str, tmp_path: Path) -> None:
    pytest.importorskip({"draco": "DracoPy", "meshopt": "meshoptimizer"}[kind])
    small = komadori.formats.encoded(_small(), "a.glb")
    data, path = (
        (dracoed if kind == "draco" else meshopted)(small),
        tmp_path / ("a.glb" if kind == "draco" else "a.gltf"),
    )
    rng, refused = random.Random(3), list[str]()
    for _ in range(60):
        spoilt = bytearray(data)
        start = int(len(data) * 0.5) if kind == "draco" else len(data) - int(len(data) * 0.3)
        for _ in range(rng.choice((1, 2, 8))):
            at = rng.randrange(start, len(spoilt) - 1)
            spoilt[at] = rng.choice(b"ABCDEFGH") if kind == "meshopt" else rng.randrange(256)
        path.write_bytes(spoilt)
        try:
            komadori.load_character(path)
        except KomadoriError as error:
            refused.append(str(error))
    assert len(refused) > 5
    assert not any("\n" in line for line in refused)


def _small() -> Character:
    sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
    from fuzz_seeds import small

    return small()


@with_meshopt
@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"count": 2**31 - 1}, "a count that the file can mean"),
        ({"mode": "OTHER"}, "ATTRIBUTES"),
        ({"filter": "COLOR"}, "OCTAHEDRAL"),
        ({"byteStride": 3}, "ATTRIBUTES"),
        ({"byteLength": 10**8}, "bytes"),
        ({"buffer": 7}, "below"),
        ({"count": 5}, "meshopt can read"),
    ],
)
def test_lies_about_compression(change: dict[str, Any], word: str) -> None:
    value = json.loads(meshopted(girl()))
    view = next(view for view in value["bufferViews"] if "extensions" in view)
    view["extensions"][MESHOPT].update(change)
    with pytest.raises(FormatError, match=word):
        gltf.parse(json.dumps(value).encode(), "a.gltf")


# Files as large as real ones


def sphere(made: Handmade, rings: int) -> dict[str, int]:
    """The accessors of a sphere with everything that a shaded one has."""
    u, v = np.meshgrid(np.linspace(0.0, 1.0, 2 * rings), np.linspace(0.0, 1.0, rings))
    around, down = 2.0 * np.pi * u.reshape(-1), np.pi * v.reshape(-1)
    points = np.stack([np.sin(down) * np.cos(around), np.cos(down), np.sin(down) * np.sin(around)], axis=1)
    corner = (np.arange(rings - 1)[:, None] * 2 * rings + np.arange(2 * rings - 1)).reshape(-1)
    faces = np.stack(
        [corner, corner + 1, corner + 2 * rings, corner + 1, corner + 2 * rings + 1, corner + 2 * rings], axis=1
    )
    return {
        "POSITION": made.put(points, "VEC3", min=points.min(axis=0).tolist(), max=points.max(axis=0).tolist()),
        "NORMAL": made.put(points, "VEC3"),
        "TANGENT": made.put(np.concatenate([points, np.ones((len(points), 1))], axis=1), "VEC4"),
        "TEXCOORD_0": made.put(np.stack([u.reshape(-1), v.reshape(-1)], axis=1), "VEC2"),
        "indices": made.put(faces.reshape(-1), "SCALAR", "u4"),
    }


def test_one_sphere_shown_by_hundreds_of_nodes(tmp_path: Path) -> None:
    """As IridescenceDielectricSpheres of the Khronos samples: a small file that shows much."""
    made = Handmade(scene=0)
    accessors = sphere(made, 33)
    indices = accessors.pop("indices")
    made.json["meshes"] = [{"primitives": [{"attributes": accessors, "indices": indices}]}]
    made.json["nodes"] = [{"mesh": 0, "translation": [n % 13, n // 13, 0.0]} for n in range(300)]
    made.json["scenes"] = [{"nodes": list(range(300))}]
    (tmp_path / "a.glb").write_bytes(made.glb())
    found = komadori.load_character(tmp_path / "a.glb")
    assert sum(len(mesh.vertices) for mesh in found.meshes) == 300 * 33 * 66


def test_large_buffers_beside_a_small_gltf(tmp_path: Path) -> None:
    """As ABeautifulGame: pieces of many vertices, shown several times, whose bytes lie beside a few kilobytes of JSON."""
    made = Handmade(scene=0, nodes=[])
    made.json["meshes"] = []
    for piece in range(6):
        accessors = sphere(made, 120)
        indices = accessors.pop("indices")
        made.json["meshes"].append({"primitives": [{"attributes": accessors, "indices": indices}]})
        made.json["nodes"] += [{"mesh": piece, "translation": [piece, n, 0.0]} for n in range(8)]
    made.json["scenes"] = [{"nodes": list(range(48))}]
    (tmp_path / "board.bin").write_bytes(made.data)
    (tmp_path / "board.gltf").write_bytes(made.gltf_beside("board.bin"))
    assert (tmp_path / "board.gltf").stat().st_size < 10_000 < 8_000_000 < len(made.data)
    found = komadori.load_character(tmp_path / "board.gltf")
    assert sum(len(mesh.vertices) for mesh in found.meshes) == 48 * 120 * 240


def test_long_animations_beside_a_small_gltf(tmp_path: Path) -> None:
    made = arm()
    times = np.arange(300_000) / 30.0
    turns = np.zeros((len(times), 4))
    turns[:, 2], turns[:, 3] = np.sin(times), np.cos(times)
    for node in (0, 1):
        made.animate(node, "rotation", times, turns)
    (tmp_path / "a.bin").write_bytes(made.data)
    (tmp_path / "a.gltf").write_bytes(made.gltf_beside("a.bin"))
    assert len(komadori.load(tmp_path / "a.gltf")) == 300_000


def test_a_picture_of_many_megabytes(tmp_path: Path) -> None:
    made, picture = arm(), b"\x89PNG\r\n\x1a\n" + bytes(30_000_000)
    made.json["images"] = [{"bufferView": made.view(picture), "mimeType": "image/png"}]
    made.json["textures"] = [{"source": 0}]
    made.json["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
    made.json["meshes"][0]["primitives"][0]["material"] = 0
    (tmp_path / "a.glb").write_bytes(made.glb())
    assert komadori.load_character(tmp_path / "a.glb").images[0].data == picture


# Faults that are repaired


@needs_judge
@pytest.mark.parametrize("name", ["Horse", "Husky", "Wolf"])
def test_a_skeleton_that_is_no_common_root_is_mended(name: str, tmp_path: Path) -> None:
    path = real(f"quadruped_gltf/quaternius_{name}.glb")
    komadori.save(komadori.load_character(path), tmp_path / "whole.glb")
    komadori.save(komadori.load(path), tmp_path / "motion.glb")
    before, *after = said_of(path, tmp_path / "whole.glb", tmp_path / "motion.glb")
    assert faults(before)["SKIN_SKELETON_INVALID"]
    for told in after:
        assert not [one for one in told if one["severity"] == 0]


@needs_judge
def test_faults_with_a_plain_remedy_are_mended(tmp_path: Path) -> None:
    made = arm()
    made.json["nodes"][1]["rotation"] = [0.0, 0.0, 0.1, 0.8]
    made.json["skins"][0]["skeleton"] = 2
    position = made.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"]
    made.json["accessors"][position] |= {"min": [0.0, 0.0, 0.0], "max": [9.0, 9.0, 9.0]}
    (tmp_path / "a.glb").write_bytes(made.glb())
    character = komadori.load_character(tmp_path / "a.glb")
    komadori.save(character, tmp_path / "b.glb")
    before, after = map(faults, said_of(tmp_path / "a.glb", tmp_path / "b.glb"))
    assert {"ROTATION_NON_UNIT", "SKIN_SKELETON_INVALID", "ACCESSOR_MAX_MISMATCH"} <= set(before)
    assert not set(before) & set(after)
    back = komadori.load_character(tmp_path / "b.glb")
    np.testing.assert_allclose(skinned(back, back.rest)[0], skinned(character, character.rest)[0], atol=1e-6)


def test_a_sound_file_is_not_touched() -> None:
    document = gltf.parse(
        glb(json.dumps(arm().json | {"buffers": [{"byteLength": len(arm().data)}]}).encode(), arm().data), "a"
    )
    assert gltf.parse(gltf.emit_character(gltf.character_of(document)), "b").json["skins"] == document.json["skins"]
