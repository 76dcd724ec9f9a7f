"""Puppets on disk: what was saved comes back, and a broken, strange or newer file is one clear line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import komadori
from komadori import Puppet, quat
from komadori.characters import sample
from komadori.errors import FormatError
from komadori.formats.puppet.reading import parse
from komadori.formats.puppet.writing import emit
from komadori.methods.puppet import Grip, puppet_from

from bodies import tree, wander


def small() -> Puppet:
    clip = wander(tree(5, seed=3), 40, seed=3)
    return puppet_from(
        clip, [0, 10, 20, 39], "joint 4", ik=Grip("joint 4", limits_deg={"joint 1": 60.0}), kernel="cubic"
    )


def as_dict(puppet: Puppet) -> Any:
    return json.loads(emit(puppet))


def alike(a: Puppet, b: Puppet) -> None:
    handles = np.random.default_rng(0).normal(size=(50, 3))
    one, other = a.changed(ik=None).poses(handles), b.changed(ik=None).poses(handles)
    sure = one.defined > 0.5
    assert quat.angle(quat.multiply(quat.inverse(one.rotations[sure]), other.rotations[sure])).max(initial=0.0) < 1e-5
    np.testing.assert_allclose(one.positions, other.positions, atol=1e-6)
    assert a.skeleton.names == b.skeleton.names
    assert dict(a.skeleton.roles) == dict(b.skeleton.roles)
    np.testing.assert_array_equal(a.skeleton.parents, b.skeleton.parents)
    assert [key.name for key in a.keys] == [key.name for key in b.keys]
    assert (a.kernel, a.polynomial, a.ground) == (b.kernel, b.polynomial, b.ground)
    assert (a.ik is None) == (b.ik is None)
    if a.ik is not None and b.ik is not None:
        assert (a.ik.effector, a.ik.base, dict(a.ik.limits_deg)) == (b.ik.effector, b.ik.base, dict(b.ik.limits_deg))


@pytest.mark.parametrize("made", [small(), puppet_from(sample("walk"), [24, 30, 36, 42], "left_foot", ground=0.0)])
def test_what_was_saved_comes_back(made: Puppet, tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "puppet.json"
    komadori.save(made, path)
    found = komadori.load(path)
    alike(made, found)
    assert emit(found) == emit(parse(emit(found), "again"))
    assert [p.name for p in path.parent.iterdir()] == ["puppet.json"]


def test_the_file_can_be_read_by_a_person() -> None:
    text = emit(puppet_from(sample("pitch"), [30, 60])).decode()
    assert '"name": "frame 30"' in text
    lines = text.splitlines()
    assert max(map(len, lines)) < 1200
    assert sum('"right_upper_arm": [' in line for line in lines) == 2
    assert text.isascii() or "é" not in text


def test_a_file_written_by_hand_needs_little() -> None:
    data = {
        "komadori": "puppet",
        "version": 1,
        "ik": "tip",
        "skeleton": {
            "joints": [
                {"name": "root", "parent": None, "offset": [0, 1, 0]},
                {"name": "tip", "parent": "root", "offset": [0, 1, 0]},
            ]
        },
        "keys": [{"position": [0, 2, 0]}, {"position": [1, 1, 0], "turns_deg": {"root": [0, 0, -90]}}],
    }
    puppet = parse(json.dumps(data).encode(), "hand.json")
    np.testing.assert_allclose(np.degrees(quat.log(puppet.pose([1, 1, 0]).rotations[0])), [0, 0, -90], atol=1e-2)
    np.testing.assert_allclose(puppet.pose([0, 2, 0]).root, [0, 1, 0])


def changed(path: str, value: Any) -> bytes:
    """The small puppet's file with one thing replaced: "keys.0.position"; None takes it away."""
    data = as_dict(small())
    place = data
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in way:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return json.dumps(data).encode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "expected JSON"),
        (b"{", "line 1, column 2: expected JSON"),
        (b"[]", "expected an object, found a list"),
        (b"{}", "expected a puppet"),
        (b"\xff", "UTF-8"),
        (b"[" * 100_000, "nested too deeply|expected JSON"),
        (changed("version", 2), "expected at most 1, found 2; it was written by a newer komadori"),
        (changed("version", "1"), '"version": expected a whole number'),
        (changed("version", None), '"version"'),
        (changed("kernel", "wild"), '"kernel": expected one of linear, cubic, local'),
        (changed("polynomial", 1), '"polynomial": expected true or false'),
        (changed("ground", "low"), '"ground": expected a number'),
        (changed("extra", 1), "expected only .* found 'extra'"),
        (changed("keys", []), '"keys": expected 1 to'),
        (changed("keys", {}), '"keys": expected a list'),
        (changed("keys.1.position", None), r"key 1 \('frame 10'\), \"position\": expected a list"),
        (changed("keys.1.position", [1, 2]), r"key 1 .* \"position\": expected three numbers, found 2"),
        (changed("keys.1.position", [1, 2, "3"]), r"key 1 .* expected a number"),
        (changed("keys.1.position", [1, 2, 1e99]), r"key 1 .* expected a number"),
        (
            changed("keys.2.turns_deg", {"elbow": [0, 0, 0]}),
            r"key 2 .*\"turns_deg\": expected a joint of the skeleton, found 'elbow'",
        ),
        (changed("keys.2.turns_deg", {"joint 1": [0, 0]}), r"key 2 .* joint 'joint 1': expected three numbers"),
        (changed("keys.2.pose", 1), r"key 2 .* found 'pose'"),
        (changed("keys.2.name", "frame 0"), "json, keys: two keys are called 'frame 0'"),
        (changed("keys.2.name", 7), "key 2: expected a string"),
        (changed("skeleton", None), '"skeleton": expected an object'),
        (changed("skeleton.joints", []), '"joints": expected 1 to'),
        (
            changed("skeleton.joints.2.parent", "nobody"),
            "joint 2: expected a parent listed above it, found 'nobody'",
        ),
        (changed("skeleton.joints.2.parent", [1]), "joint 2"),
        (changed("skeleton.joints.2.name", "joint 0"), "joint 2: the name 'joint 0' is used twice"),
        (changed("skeleton.joints.2.offset", None), 'joint 2, "offset"'),
        (changed("skeleton.roles", {"head": "joint 77"}), "role 'head': expected a joint's name"),
        (
            changed("ik", {"effector": "hook"}),
            "json, joint: expected a joint or role such as joint 0, joint 1, joint 2, joint 3, joint 4, found 'hook'",
        ),
        (changed("ik", 3), '"ik": expected an object'),
        (changed("ik.base", 3), '"base": expected a string'),
        (
            changed("ik.limits_deg", {"joint 1": 999}),
            "json, limits_deg, joint 1: expected a number of degrees from 0 to 180, found 999",
        ),
    ],
)
def test_faults_are_named_with_their_place(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse(data, "bad.json")


@settings(max_examples=300)
@given(st.data())
def test_a_damaged_file_is_never_more_than_a_format_error(data: st.DataObject) -> None:
    whole = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    try:
        puppet = parse(bytes(whole), "damaged.json")
    except FormatError:
        return
    assert np.isfinite(puppet.pose([0.1, 0.2, 0.3]).rotations).all()


GOOD = emit(small())


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="File not found"):
        komadori.load(tmp_path / "nothing.json")
