"""glTF files that lie, break off or reach out: one FormatError of one line, little memory, and nothing outside the folder."""

from __future__ import annotations

import json
import os
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf_files import Handmade, arm, glb

from komadori.errors import FormatError, OptionError
from komadori.formats import gltf

from realdata import reals


def everything(data: bytes, folder: Path | None = None) -> gltf.Gltf:
    """All that can be read of a file, and written of it again."""
    document = gltf.parse(data, "a.glb", folder)
    character = gltf.character_of(document)
    gltf.motion(document)
    gltf.emit_character(character, {name: motion[::-1] for name, motion in character.motions.items()})
    return document


def refused(data: bytes, match: str | None = None, folder: Path | None = None) -> str:
    with pytest.raises(FormatError, match=match) as caught:
        everything(data, folder)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("a.glb")
    return message


def full() -> Handmade:
    made = arm()
    made.animate(1, "rotation", [0, 0.5, 1], [[0, 0, 0, 1], [0, 0, 0.6, 0.8], [0, 0, 0, 1]])
    primitive = made.json["meshes"][0]["primitives"][0]
    primitive["targets"] = [{"POSITION": made.put(np.ones((4, 3)), "VEC3")}]
    made.json["images"] = [{"bufferView": made.view(b"\x89PNG...."), "mimeType": "image/png"}]
    made.json["textures"] = [{"source": 0}]
    made.json["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
    primitive["material"] = 0
    return made


def test_the_file_itself_is_fine() -> None:
    everything(full().glb())


@pytest.mark.parametrize(("data", "match"), [
    (b"", "empty file"),
    (b"glTF", "12 bytes"),
    (b"PK\x03\x04", "the letters glTF"),
    (b"glTX" + b"\0" * 20, "the letters glTF"),
    (struct.pack("<4sII", b"glTF", 1, 12), "convert it to 2.0"),
    (struct.pack("<4sII", b"glTF", 7, 12), "version 7"),
    (struct.pack("<4sII", b"glTF", 2, 12), "the first chunk is not JSON"),
    (struct.pack("<4sII", b"glTF", 2, 999), "cut off"),
    (struct.pack("<4sIII4s", b"glTF", 2, 20, 2**31, b"JSON"), "a chunk of 2147483648"),
    (struct.pack("<4sIII4s", b"glTF", 2, 20, 0, b"BIN\0"), "the first chunk is not JSON"),
    (glb(b"[1, 2]"), "an object"),
    (glb(b'"x"'), "an object"),
    (glb(b"{"), "JSON"),
    (glb(b'{"asset": {"version": "1.0"}}'), "version 2"),
    (glb(b"{}"), "version 2"),
    (glb(b'{"asset": {"version": "2.0"}}'), "no nodes to build a skeleton from"),
    (glb(b'{"asset": {"version": "2.0"}, "x": NaN}'), "NaN"),
    (glb(b'{"asset": ' + b"[" * 100_000), "nested"),
    (glb(b'{"asset": {"version": "2.0"}, "x": ' + b"9" * 9999 + b"}"), "thousands of digits"),
    (glb(b'{"asset": {"version": "2.0"}, "nodes": [{}], "x": 1e999}'), "finite"),
    (glb(b"\xff\xfe{}"), "UTF-8"),
])  # fmt: skip
def test_broken_shells(data: bytes, match: str) -> None:
    if b"1e999" in data:
        with pytest.raises(FormatError, match="finite"):
            everything(data)
        return
    refused(data, match)


def change(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """A change of the JSON at a path such as "nodes.1.children"."""

    def apply(data: dict[str, Any]) -> None:
        *way, last = path.split(".")
        at: Any = data
        for step in way:
            at = at[int(step) if step.isdigit() else step]
        at[int(last) if last.isdigit() else last] = value

    return apply


LIES = [
    ("accessors.0.count", 10**9, "plausible size"),
    ("accessors.0.count", 5, "60 bytes for 5 elements"),
    ("accessors.0.count", -1, "whole number"),
    ("accessors.0.count", 0, "whole number"),
    ("accessors.0.count", 2.5, "whole number"),
    ("accessors.0.count", True, "whole number"),
    ("accessors.0.count", 10**30, "whole number"),
    ("accessors.0.byteOffset", 2**31 - 1, "a view of"),
    ("accessors.0.bufferView", 99, "below"),
    ("accessors.0.componentType", 5124, "one of"),
    ("accessors.0.type", "VEC9", "one of"),
    ("accessors.0.type", ["VEC3"], "a string"),
    ("accessors.0", None, "an object"),
    ("accessors", {}, "a list"),
    ("bufferViews.0.byteLength", 10**9, "a buffer of"),
    ("bufferViews.0.byteOffset", 10**9, "a buffer of"),
    ("bufferViews.0.byteStride", 1, "stride"),
    ("bufferViews.0.byteStride", 10**9, "whole number"),
    ("bufferViews.0.buffer", 5, "below 1"),
    ("nodes.1.children", [0], "a cycle|once more"),
    ("nodes.2.children", [0], "a cycle"),
    ("nodes.2.children", [2], "once more"),
    ("nodes.0.children", [1, 1], "once more"),
    ("nodes.0.children", [77], "below 4"),
    ("nodes.0.children", "all", "a list"),
    ("nodes.0.mesh", 9, "below 1"),
    ("nodes.3.skin", 9, "below 1"),
    ("nodes.0.translation", [1, 2], "3 numbers"),
    ("nodes.0.translation", [1, 2, "3"], "a finite number"),
    ("nodes.0.translation", [1, 2, 10**400], "a finite number"),
    ("nodes.0.translation", [1e30, 0, 0], "position in the world is out of range"),
    ("nodes.0.scale", [1e30, 1, 1], "position in the world is out of range"),
    ("nodes.0.matrix", [1] * 15, "16 numbers"),
    ("nodes.0.name", 5, "a string"),
    ("nodes", [], "reference|nodes"),
    ("scenes.0.nodes", [1], "without a parent"),
    ("scenes.0.nodes", [0, 0], "each once"),
    ("scene", 4, "below 1"),
    ("skins.0.joints", [], "at least one"),
    ("skins.0.joints", [0, 1, 2], "matrices"),
    ("skins.0.joints", [0], "numbers of 1 joints"),
    ("skins.0.inverseBindMatrices", 0, "matrices"),
    ("meshes.0.primitives", {}, "a list"),
    ("meshes.0.primitives.0.mode", 9, "whole number"),
    ("meshes.0.primitives.0.attributes", {}, "vertices"),
    ("meshes.0.primitives.0.attributes.NORMAL", 5, "4 of 3"),
    ("meshes.0.primitives.0.attributes.WEIGHTS_0", 99, "below"),
    ("meshes.0.primitives.0.indices", 0, "numbers of 4 vertices"),
    ("meshes.0.primitives.0.material", 3, "below 1"),
    ("meshes.0.primitives.0.targets", [{"POSITION": 5}], "4 of 3"),
    ("animations.0.samplers.0.interpolation", "BEZIER", "STEP, LINEAR"),
    ("animations.0.samplers.0.interpolation", "CUBICSPLINE", "9 x 4"),
    ("animations.0.samplers.0.input", 0, "increasing times"),
    ("animations.0.samplers.0.output", 0, "3 x 4"),
    ("animations.0.channels.0.sampler", 8, "below 1"),
    ("animations.0.channels.0.target.node", 8, "below 4"),
    ("animations.0.channels.0.target", 8, "an object"),
    ("animations.0.extras", {"komadori": {"fps": 0, "frames": 3}}, "a frame rate from"),
    ("animations.0.extras", {"komadori": {"fps": 24, "frames": -1}}, "whole number"),
    ("animations.0.name", {}, "a string"),
    ("extras", {"komadori": {"roles": []}}, "an object"),
    ("extras", {"komadori": {"roles": {"head": 1}}}, "a string"),
    ("extras", {"komadori": {"chains": [{"joints": [1]}]}}, "a string"),
    ("extras", {"komadori": {"expressions": 3}}, "an object"),
    ("materials.0.pbrMetallicRoughness", [], "an object"),
    ("materials.0.pbrMetallicRoughness", {"baseColorFactor": [1, 1, 1]}, "4 numbers"),
    ("textures.0.source", 5, "below 1"),
    ("images.0.bufferView", 99, "below"),
    ("buffers", [{"byteLength": 10**9}], "only"),
    ("buffers", [{"byteLength": 10}], "a buffer of|bytes"),
    ("buffers", [{"byteLength": 8, "uri": "data:;base64,!!!!"}], "base64"),
    ("buffers", [{"byteLength": 8, "uri": "data:nothing"}], "a comma"),
]


@pytest.mark.parametrize(("path", "value", "match"), LIES, ids=lambda x: str(x)[:40])
def test_lies(path: str, value: Any, match: str) -> None:
    made = full()
    text = json.loads(made.gltf())
    if not path.startswith("buffers"):
        del text["buffers"][0]["uri"]
    change(path, value)(text)
    refused(glb(json.dumps(text).encode(), made.data), match)


def test_numbers_that_are_not_finite_in_the_bytes() -> None:
    made = full()
    made.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = made.put([[np.nan, 0, 0]] * 4, "VEC3")
    refused(made.glb(), "finite")


@pytest.mark.parametrize("indices", [[3, 1], [1, 1], [0, 9]])
def test_sparse_indices_must_rise_and_fit(indices: list[int]) -> None:
    made = full()
    made.json["accessors"][0]["sparse"] = {
        "count": 2,
        "indices": {"bufferView": made.view(np.array(indices, dtype="<u2").tobytes()), "componentType": 5123},
        "values": {"bufferView": made.view(bytes(24))},
    }
    refused(made.glb(), "increasing numbers below 4")


def test_bombs_take_no_memory() -> None:
    bombs = []
    made = full()
    made.json["accessors"][0] = {"componentType": 5126, "count": 2**31 - 1, "type": "VEC3"}
    bombs.append(made.glb())
    made = full()
    made.json["accessors"][0] = {
        "componentType": 5126,
        "count": 2**31 - 1,
        "type": "VEC3",
        "sparse": {
            "count": 2**31 - 1,
            "indices": {"bufferView": 0, "componentType": 5121},
            "values": {"bufferView": 0},
        },
    }
    bombs.append(made.glb())
    # Two keys a thousand years apart; one mesh shown by very many nodes; one animation very many times.
    made = full()
    made.animate(1, "translation", [0, 3e10], [[0, 0, 0], [1, 1, 1]], name="b")
    bombs.append(made.glb())
    made = full()
    big = made.put(np.zeros((20_000, 3)), "VEC3")
    made.json["meshes"].append({"primitives": [{"attributes": {"POSITION": big}}]})
    made.json["nodes"] += [{"mesh": 1} for _ in range(3000)]
    made.json["scenes"][0]["nodes"] += list(range(4, 3004))
    bombs.append(made.glb())
    made = full()
    made.animate(1, "translation", [0, 20_000], [[0, 0, 0], [1, 1, 1]], name="b")
    made.json["animations"] = [made.json["animations"][1]] * 4000
    bombs.append(made.glb())
    made = full()
    made.json["accessors"].append({"componentType": 5126, "count": 1_000_000, "type": "VEC3"})
    primitive = {"attributes": {"POSITION": len(made.json["accessors"]) - 1}, "targets": [{}] * 4000}
    made.json["meshes"].append({"primitives": [primitive]})
    made.json["nodes"][2]["mesh"] = 1
    bombs.append(made.glb())
    for bomb in bombs:
        tracemalloc.start()
        refused(bomb)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 150e6 + 30 * len(bomb)


def test_the_last_row_of_a_bind_matrix_is_what_it_must_be() -> None:
    made = arm()
    wrong = np.tile(np.eye(4), (2, 1, 1))
    wrong[:, 3] = (0.0, 0.0, 0.0, 0.0)
    number = made.put(wrong.transpose(0, 2, 1).reshape(2, 16), "MAT4")
    made.json["skins"][0]["inverseBindMatrices"] = number
    binds = gltf.character_of(gltf.parse(made.glb(), "a.glb")).binds
    assert np.array_equal(binds[:, 3], np.tile([0.0, 0.0, 0.0, 1.0], (len(binds), 1)))


@pytest.mark.parametrize("stated", [10**400, 1e300, "1", None])
def test_bounds_that_are_no_numbers_are_put_right(stated: object) -> None:
    made = arm()
    number = made.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"]
    made.json["accessors"][number]["max"] = [stated, 1.0, 1.0]
    again = gltf.parse(gltf.emit_character(gltf.character_of(gltf.parse(made.glb(), "a.glb")), {}), "b.glb")
    for accessor in again.json["accessors"]:
        assert all(isinstance(value, int | float) and abs(value) < 100.0 for value in accessor.get("max", []))


def test_deep_trees_are_no_trouble() -> None:
    count = 3000
    nodes = [{"name": f"n{n}", "children": [n + 1]} for n in range(count - 1)] + [{"name": "end"}]
    assert len(gltf.skeleton_of(gltf.parse(Handmade(nodes=nodes).glb(), "a"))[0]) == count


@pytest.mark.parametrize("uri", [
    "/etc/passwd", "../secret.bin", "a/../../secret.bin", "%2e%2e/secret.bin", "..%2fsecret.bin", "..\\secret.bin",
    "file:///etc/passwd", "http://a/b.bin", "HTTPS://a/b.bin", "//host/b.bin", "C:\\b.bin", "c:/b.bin", "C%3A/b.bin",
    "", "a\0b", "%00", "inside/out.bin", ".", "pipe", "no-such-file.bin", "x" * 5000,
])  # fmt: skip
def test_nothing_outside_the_folder_is_read(uri: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "inside").mkdir(parents=True)
    made = full()
    (tmp_path / "secret.bin").write_bytes(made.data)
    (home / "inside" / "out.bin").symlink_to(tmp_path / "secret.bin")
    os.mkfifo(home / "pipe")
    message = refused(made.gltf_beside(uri), "next to the glTF|data URI|file|out of the glTF's folder", home)
    assert len(message) < 700
    made.json["images"] = [{"uri": uri}]
    if uri not in ("no-such-file.bin", ".", "pipe", "x" * 5000):
        refused(made.glb(), "next to the glTF|data URI|out of the glTF's folder", home)


def test_without_a_folder_no_file_is_read() -> None:
    with pytest.raises(FormatError, match="a data URI"):
        everything(full().gltf_beside("a.bin"))


@pytest.mark.parametrize("path", reals("odd_vrm/*.vrm"))
def test_real_odd_files(path: Path) -> None:
    survives(path.read_bytes())


def survives(data: bytes) -> None:
    """Nothing but a FormatError of one line comes out."""
    message = ""
    try:
        everything(data)
    except (FormatError, OptionError) as error:
        message = str(error)
    assert "\n" not in message


def test_cut_off_anywhere() -> None:
    data = full().glb()
    for end in range(0, len(data), 7):
        survives(data[:end])
    text = full().gltf()
    for end in range(0, len(text), 97):
        survives(text[:end])


@pytest.mark.parametrize("seed", range(6))
def test_changed_bytes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    good = full().glb()
    for _ in range(100):
        data = bytearray(good)
        for at in rng.integers(0, len(data), rng.integers(1, 12)):
            data[at] = rng.integers(0, 256)
        survives(bytes(data))


VALUES: list[Any] = [
    -1,
    0,
    1,
    2,
    3,
    7,
    99,
    2**31,
    10**20,
    0.5,
    -3.5,
    1e38,
    "",
    "x",
    None,
    True,
    [],
    [0],
    [[]],
    {},
    {"a": 1},
]


def _spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [spot for key, below in items for spot in [(*path, key), *_spots(below, (*path, key))]]


@pytest.mark.parametrize("seed", range(8))
def test_changed_values(seed: int) -> None:
    rng = np.random.default_rng(seed)
    made = full()
    made.animate(0, "translation", [0, 1], np.ones((6, 3)), "CUBICSPLINE")
    made.animate(3, "weights", [0, 1], [0, 1])
    made.animate(0, "scale", [0, 1], [[1, 1, 1], [2, 1, 3]], name="b")
    text = json.loads(made.gltf())
    del text["buffers"][0]["uri"]
    for _ in range(60):
        data = json.loads(json.dumps(text))
        spots = _spots(data)
        for n in rng.integers(0, len(spots), rng.integers(1, 4)):
            *way, last = spots[n]
            at = data
            try:
                for step in way:
                    at = at[step]
                if rng.uniform() < 0.15:
                    del at[last]
                else:
                    at[last] = VALUES[rng.integers(len(VALUES))]
            except (KeyError, IndexError, TypeError):
                continue
        survives(glb(json.dumps(data).encode(), made.data))
