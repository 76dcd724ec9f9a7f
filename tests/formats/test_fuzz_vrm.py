"""VRM and VRMA files with anything in the place of anything: one FormatError, or a character with notes; nothing else."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import vrm_files
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from komadori.character import Character
from komadori.characters import sample
from komadori.errors import FormatError
from komadori.formats import gltf, vrm
from komadori.motion import Motion

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([-1, 0, 1, 2, 7, 31, 10**9, 2**40, -(10**30), 10**400]),
    st.floats(allow_nan=False),
    st.text(max_size=8),
    st.sampled_from(
        [[], {}, [[]], [{}], {"node": 3}, {"node": 10**9}, [0, 1, 2], [0, 0, 0], {"x": "y"}, "hips", [None]]
    ),
)


def avatars() -> dict[str, tuple[dict[str, Any], bytes]]:
    old, data = vrm_files.face(vrm_files.avatar_0(), 5, ("a", "b"))
    bind = {"mesh": 0, "index": 1, "weight": 50}
    old["extensions"]["VRM"]["blendShapeMaster"] = {
        "blendShapeGroups": [{"name": "Joy", "presetName": "joy", "binds": [bind]}]
    }
    toon = {
        "shader": "VRM/MToon",
        "vectorProperties": {"_Color": [1, 1, 1, 1]},
        "floatProperties": {"_OutlineWidth": 1},
    }
    old["extensions"]["VRM"]["materialProperties"] = [toon, toon]
    new, _ = vrm_files.face(vrm_files.avatar_1(), 5, ("a", "b"))
    binds = {"morphTargetBinds": [{"node": len(new["nodes"]) - 1, "index": 1, "weight": 0.5}]}
    new["extensions"]["VRMC_vrm"]["expressions"] = {"preset": {"happy": binds}, "custom": {"wink": binds}}
    toon_1 = {"shadeColorFactor": [1, 0, 0], "outlineWidthMode": "worldCoordinates", "outlineWidthFactor": 0.1}
    new["materials"][0]["extensions"] = {"VRMC_materials_mtoon": toon_1}
    return {"0.x": (old, data), "1.0": (new, data)}


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of everything inside a JSON value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield (*at, key)
        yield from places(inner, (*at, key))


def put(made: Any, path: tuple[Any, ...], value: Any) -> None:
    try:
        for key in path[:-1]:
            made = made[key]
        made[path[-1]] = copy.deepcopy(value)
    except (KeyError, IndexError, TypeError):
        return  # an earlier change took away what lay on the way


def taken(made: Any, path: tuple[Any, ...]) -> None:
    for key in path[:-1]:
        made = made[key]
    del made[path[-1]]


def must_hold(avatar: Character) -> None:
    joints = len(avatar.skeleton)
    for spring in avatar.springs.springs:
        assert all(0 <= one.joint < joints for one in spring.joints)
        assert all(0 <= one < len(avatar.springs.colliders) for one in spring.colliders)
        assert -1 <= spring.centre < joints
    for chain in avatar.chain_hints:
        assert -1 <= chain.hangs_from < min(chain.joints)
        assert list(chain.joints) == sorted(chain.joints)
    for weights in avatar.expressions.values():
        assert all(morph in avatar.meshes[mesh].morphs for mesh, morph in weights)
    assert np.isfinite(avatar.rest.world_positions()).all()
    assert all("\n" not in note for note in avatar.notes)


def outcome(read: Callable[[bytes, str], Any], data: bytes) -> Any:
    """What is read, or the error's text."""
    try:
        return read(data, "odd.vrm")
    except FormatError as error:
        return str(error)


def read_or_refused(data: bytes) -> None:
    found = outcome(vrm.read, data)
    if isinstance(found, Character):
        must_hold(found)
    else:
        assert "\n" not in found


FILES = avatars()


@pytest.mark.parametrize("version", FILES)
@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_anything_in_the_place_of_anything(version: str, data: st.DataObject) -> None:
    made, binary = FILES[version]
    made = json.loads(json.dumps(made))
    inside = [("extensions", *path) for path in places(made["extensions"])]
    inside += [("materials", *path) for path in places(made["materials"])]
    for _ in range(data.draw(st.integers(1, 3))):
        put(made, data.draw(st.sampled_from(inside)), data.draw(JUNK))
    read_or_refused(vrm_files.packed(made, binary))


@pytest.mark.parametrize("version", FILES)
def test_anything_missing(version: str) -> None:
    made, binary = FILES[version]
    for path in places(made["extensions"]):
        less = json.loads(json.dumps(made))
        taken(less["extensions"], path)
        read_or_refused(vrm_files.packed(less, binary))


@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_vrma_with_anything_in_the_place_of_anything(data: st.DataObject) -> None:
    made = json.loads(json.dumps(VRMA.json))
    extension = made["extensions"]["VRMC_vrm_animation"]
    extension["expressions"] = {"preset": {"happy": {"node": 3}}, "custom": {"wink": {"node": 4}}}
    extension["lookAt"] = {"node": 5, "offsetFromHeadBone": [0, 0, 0]}
    inside = [path for path in places(made) if path[0] != "asset"]
    for _ in range(data.draw(st.integers(1, 3))):
        put(made, data.draw(st.sampled_from(inside)), data.draw(JUNK))
    found = outcome(vrm.read_motion, vrm_files.packed(made, VRMA.binary or b""))
    if isinstance(found, Motion):
        assert "hips" in found.skeleton.roles
        assert np.isfinite(found.world_positions()).all()
    else:
        assert "\n" not in found


VRMA = gltf.parse(vrm.emit_motion(sample("pitch")[:6]), "made.vrma")


def test_springs_that_name_one_subtree_again_and_again_do_not_take_the_memory() -> None:
    made = vrm_files.avatar_0()
    head = next(n for n, node in enumerate(made["nodes"]) if node["name"] == "hair_0")
    strand = vrm_files.strand(made["nodes"], head, "long", 400, (0.0, -0.01, 0.0))
    group = made["extensions"]["VRM"]["secondaryAnimation"]["boneGroups"][0]
    group["bones"] = [strand[0]] * 4000
    with pytest.raises(FormatError, match="secondaryAnimation"):
        vrm.read(vrm_files.packed(made), "bomb.vrm")


@pytest.mark.parametrize("size", [0, 4, 11, 20, 100, 1000])
def test_cut_off_files(size: int) -> None:
    data = vrm_files.packed(vrm_files.avatar_1())
    with pytest.raises(FormatError):
        vrm.read(data[:size], "cut.vrm")
    with pytest.raises(FormatError):
        vrm.read_motion(data[:size], "cut.vrma")
