"""Finding clips: every way to name them, names that never meet, and folders that must not hold the output."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori.errors import OptionError
from komadori.library.finding import Clip, clips, unlike
from komadori.library.store import store_at


def put(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return folder


def names(*given: Path | str) -> list[str]:
    return [clip.name for clip in clips([str(one) for one in given])]


def test_a_folder_stands_for_every_motion_in_it(tmp_path: Path) -> None:
    put(tmp_path, "a/walk.BVH", "a/b/run.fbx", "notes.md", ".hidden/x.bvh", ".y.bvh", "cmu/02.asf", "cmu/02_01.amc")
    assert names(tmp_path) == ["a/b/run", "a/walk", "cmu/02_01"]


def test_a_skeleton_alone_is_a_clip(tmp_path: Path) -> None:
    assert names(put(tmp_path, "cmu/02.asf")) == ["cmu/02"]


def test_globs_lists_and_samples(tmp_path: Path) -> None:
    put(tmp_path, "w1.bvh", "w2.bvh", "r.bvh", "deep/w3.bvh")
    assert names(tmp_path / "w*.bvh") == ["w1", "w2"]
    assert names(tmp_path / "**" / "w*.bvh") == ["w1", "w2", "w3"]
    (tmp_path / "some.txt").write_text("# mine\nr.bvh\n\ndeep/w3.bvh\nsample:walk\n", encoding="utf-8")
    assert names(tmp_path / "some.txt") == ["r", "w3", "walk"]


def test_one_file_named_in_many_ways_is_one_clip(tmp_path: Path) -> None:
    put(tmp_path, "a/walk.bvh")
    (tmp_path / "link.bvh").symlink_to(tmp_path / "a" / "walk.bvh")
    found = clips([str(tmp_path / "a"), str(tmp_path / "a" / ".." / "a" / "walk.bvh"), str(tmp_path / "link.bvh")])
    assert len(found) == 1


def test_a_file_that_is_not_there_keeps_its_row(tmp_path: Path) -> None:
    assert names(tmp_path / "gone.bvh", "sample:walk") == ["gone", "walk"]


def test_equal_names_are_told_apart(tmp_path: Path) -> None:
    put(tmp_path, "one/walk.bvh", "one/walk.fbx", "two/walk.bvh", "two/Walk.glb", "two/run.bvh")
    found = names(tmp_path / "one", tmp_path / "two")
    assert len({name.casefold() for name in found}) == 5
    assert "run" in found
    assert {"walk-fbx", "Walk-glb"} <= set(found)
    # Whatever else is in the library, and in whatever order.
    assert set(names(tmp_path / "two", tmp_path / "one")) == set(found)


@given(st.lists(st.tuples(st.sampled_from(["a", "A", "b", "a-bvh"]), st.sampled_from([".bvh", ".fbx"])), max_size=12))
def test_no_two_clips_ever_share_a_name(parts: list[tuple[str, str]]) -> None:
    made = unlike(Clip(name, f"/x{n}/{name}{suffix}") for n, (name, suffix) in enumerate(parts))
    assert len({clip.name.casefold() for clip in made}) == len(parts)


def test_names_are_fit_for_every_file_system(tmp_path: Path) -> None:
    put(tmp_path, 'a:b?"c.bvh', "歩き.bvh", "-n .bvh")
    found = names(tmp_path)
    assert "歩き" in found
    assert not any(letter in name for name in found for letter in ':?"<>|*\\')


def test_a_folder_without_clips_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no clips"):
        clips([str(put(tmp_path, "readme.md"))])


def test_the_output_must_not_lie_in_the_input(tmp_path: Path) -> None:
    put(tmp_path, "in/walk.bvh")
    for inside in ("in", "in/out", "in/../in/deep/out"):
        with pytest.raises(OptionError, match=r"lies in .*; its results would be read as clips"):
            clips([str(tmp_path / "in")], str(tmp_path / inside))
    assert clips([str(tmp_path / "in")], str(tmp_path / "in-out"))
    (tmp_path / "link").symlink_to(tmp_path / "in")
    with pytest.raises(OptionError, match=r"lies in .*; its results would be read as clips"):
        clips([str(tmp_path / "link")], str(tmp_path / "in" / "out"))


def test_addresses_are_listed(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/shelf/a/walk.bvh", b"1234")
    memory.pipe_file("/shelf/readme.md", b"1")
    try:
        assert clips(["memory://shelf"]) == (Clip("a/walk", "memory://shelf/a/walk.bvh", 4),)
        with pytest.raises(OptionError, match=r"lies in .*; its results would be read as clips"):
            clips(["memory://shelf"], "memory://shelf/out")
    finally:
        memory.rm("/shelf", recursive=True)


def test_a_list_that_names_itself_is_read_once(tmp_path: Path) -> None:
    put(tmp_path, "walk.bvh")
    (tmp_path / "a.txt").write_text("b.txt\n" * 50 + "a.txt\nwalk.bvh\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("a.txt\n" * 50, encoding="utf-8")
    assert names(tmp_path / "a.txt") == ["walk"]


def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path: Path) -> None:
    put(tmp_path, "walk.bvh")
    os.mkfifo(tmp_path / "pipe.bvh")
    (tmp_path / "gone.bvh").symlink_to(tmp_path / "nowhere")
    # A link that leads nowhere gets a row that says so.
    assert names(tmp_path) == ["gone", "walk"]


def test_a_glob_or_list_that_leads_into_the_output_is_refused(tmp_path: Path) -> None:
    put(tmp_path, "walk.bvh", "out/clips/walk/walk.glb")
    (tmp_path / "all.txt").write_text("out/clips/walk/walk.glb\n", encoding="utf-8")
    for named in ("*", "**/*.glb", "all.txt"):
        with pytest.raises(OptionError, match=r"lies in .*; its results would be read as clips"):
            clips([str(tmp_path / named)], str(tmp_path / "out"))
    assert len(clips([str(tmp_path / "*.bvh")], str(tmp_path / "out"))) == 1


def test_a_file_system_that_needs_folders_gets_them(tmp_path: Path) -> None:
    local = pytest.importorskip("fsspec.implementations.local")
    fsspec = pytest.importorskip("fsspec")

    class Folders(local.LocalFileSystem):  # type: ignore[misc, name-defined]
        protocol = "folders"

        @classmethod
        def _strip_protocol(cls, path: str) -> str:
            return str(super()._strip_protocol(path.removeprefix("folders://")))

    fsspec.register_implementation("folders", Folders, clobber=True)
    store = store_at(f"folders://{tmp_path}/a")
    assert store.read("b/c/x.json") is None
    assert store.size("b/c/x.json") is None
    assert store.names("b", ".json") == []
    store.write("b/c/x.json", b"one")
    store.write("b/c/x.json", b"two")
    assert (tmp_path / "a/b/c/x.json").read_bytes() == b"two"
    assert (store.read("b/c/x.json"), store.size("b/c/x.json")) == (b"two", 3)
    assert store.names("b", ".json") == ["b/c/x.json"]
