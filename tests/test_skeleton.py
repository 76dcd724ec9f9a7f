from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori.errors import OptionError
from komadori.skeleton import Skeleton

from bodies import tree


def arm() -> Skeleton:
    names = ("hips", "arm", "hand", "hand_end", "leg", "tail_end")
    offsets = np.zeros((6, 3))
    return Skeleton(names, np.array([-1, 0, 1, 2, 0, -1]), offsets, roles={"right_hand": 2})


@given(st.integers(1, 40), st.integers(0, 1000))
def test_levels_and_children_tell_the_tree(joints: int, seed: int) -> None:
    skeleton = tree(joints, seed)
    assert sorted(np.concatenate(skeleton.levels).tolist()) == list(range(joints))
    depth = {}
    for number, level in enumerate(skeleton.levels):
        for joint in level.tolist():
            depth[joint] = number
    for joint, parent in enumerate(skeleton.parents.tolist()):
        assert depth[joint] == (0 if parent < 0 else depth[parent] + 1)
        assert parent < 0 or joint in skeleton.children[parent]
    assert sum(map(len, skeleton.children)) == joints - 1


@given(st.integers(1, 30), st.integers(0, 1000), st.data())
def test_below_is_everything_that_hangs_from_a_joint(joints: int, seed: int, data: st.DataObject) -> None:
    skeleton = tree(joints, seed)
    chosen = data.draw(st.sets(st.integers(0, joints - 1)))
    expected = []
    for joint in range(joints):
        up = joint
        while up >= 0 and up not in chosen:
            up = int(skeleton.parents[up])
        expected.append(up >= 0)
    assert skeleton.below(chosen).tolist() == expected


def test_end_sites_are_leaves_with_the_suffix_and_a_parent() -> None:
    assert arm().end_sites.tolist() == [False, False, False, True, False, False]


def test_names_and_roles() -> None:
    skeleton = arm()
    assert skeleton.index("hand") == 2 == skeleton.role("right_hand")
    assert skeleton.role("left_hand") is None
    assert skeleton.with_roles({}).role("right_hand") is None
    assert skeleton.with_roles({}).same_joints(skeleton)
    with pytest.raises(OptionError, match=r"joint: expected one of hips, .*, found 'foot'"):
        skeleton.index("foot")


def test_an_odd_name_stays_on_one_line() -> None:
    skeleton = Skeleton(("a\nb",), np.array([-1]), np.zeros((1, 3)))
    with pytest.raises(OptionError) as caught:
        skeleton.index("\n")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "parts",
    [
        {"names": ("a", "a")},
        {"parents": [0, -1]},
        {"parents": [-1, 1]},
        {"parents": [-2, 0]},
        {"parents": [-1, 0, 0]},
        {"parents": "none"},
        {"offsets": np.zeros((3, 3))},
        {"offsets": [[0, 0, 0], [0, 0]]},
        {"rest": np.zeros((2, 3))},
        {"roles": {"head": 2}},
        {"roles": {"head": -1}},
        {"names": (), "parents": [], "offsets": np.zeros((0, 3))},
    ],
    ids=str,
)
def test_no_skeleton(parts: dict[str, object]) -> None:
    whole = {"names": ("a", "b"), "parents": np.array([-1, 0]), "offsets": np.zeros((2, 3))}
    with pytest.raises(OptionError) as caught:
        Skeleton(**(whole | parts))
    assert "\n" not in str(caught.value)


def test_a_skeleton_needs_no_rest() -> None:
    assert arm().rest.tolist() == [[0, 0, 0, 1]] * 6


def test_nobody_can_change_a_skeleton() -> None:
    skeleton = arm()
    for array in (skeleton.parents, skeleton.offsets, skeleton.rest):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(TypeError):
        skeleton.roles["head"] = 0  # type: ignore[index]
    with pytest.raises(AttributeError):
        skeleton.names = ()  # type: ignore[misc]


def test_pickle() -> None:
    skeleton = arm()
    again = pickle.loads(pickle.dumps(skeleton))
    assert again.same_joints(skeleton)
    assert dict(again.roles) == dict(skeleton.roles)
    assert not again.same_joints(tree(6))
    with pytest.raises(ValueError, match="read-only"):
        again.offsets[0] = 1.0
