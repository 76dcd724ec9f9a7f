"""Whole files in and out: what stands at the target is always the old file or the new one."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from komadori.errors import FormatError, OutputError
from komadori.files import read_bytes, write_bytes

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


ON_UNIX = pytest.mark.skipif(not Path("/dev/null").is_char_device(), reason="a system with devices")


def _endless(folder: Path) -> Path:
    """A link to a device; one to /dev/zero would be read until memory is full."""
    link = folder / "endless.bvh"
    link.symlink_to("/dev/null")
    return link


def test_what_is_written_is_read(tmp_path: Path) -> None:
    target = tmp_path / "new" / "folders" / "a.bin"
    write_bytes(target, b"\x00one\r\n")
    assert read_bytes(target) == b"\x00one\r\n"
    write_bytes(str(target), b"two")
    assert read_bytes(str(target)) == b"two"
    assert [p.name for p in target.parent.iterdir()] == ["a.bin"]


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda folder: folder / "none.bvh", "no such file"),
        (lambda folder: folder, "this is a folder"),
        (lambda folder: folder / ("x" * 5000), "the name is too long"),
        (lambda folder: folder / "nul\0.bvh", "not a valid file path"),
        pytest.param(lambda folder: _endless(folder), "this is a device", marks=ON_UNIX),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(make: object, found: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        read_bytes(make(tmp_path))  # type: ignore[operator]
    assert caught.value.expected == "a readable file"
    assert caught.value.found == found
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(AS_ROOT, reason="root may read and write everything")
def test_permissions_are_respected(tmp_path: Path) -> None:
    target = tmp_path / "locked"
    target.write_bytes(b"old")
    target.chmod(0o000)
    with pytest.raises(FormatError, match="permission denied"):
        read_bytes(target)
    target.chmod(0o400)
    with pytest.raises(OutputError, match="permission denied"):
        write_bytes(target, b"new")
    assert target.read_bytes() == b"old"


def test_a_folder_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(OutputError, match="a folder"):
        write_bytes(tmp_path / "there", b"x")
    assert (tmp_path / "there").is_dir()


def test_a_file_where_a_folder_should_be_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(OutputError) as caught:
        write_bytes(tmp_path / "file" / "below.bvh", b"x")
    assert "\n" not in str(caught.value)
    assert (tmp_path / "file").read_bytes() == b"old"


@pytest.mark.parametrize(
    ("failure", "raised", "says"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), OutputError, "no space left"),
        (OSError(errno.EIO, "Input/output error"), OutputError, "Input/output error"),
        (KeyboardInterrupt(), KeyboardInterrupt, ""),
    ],
)
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file_whole_and_nothing_else(
    failure: BaseException,
    raised: type[BaseException],
    says: str,
    step: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = tmp_path / "walk.bvh"
    target.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(*((os, "fsync") if step == "fsync" else (Path, "replace")), fail)
    with pytest.raises(raised) as caught:
        write_bytes(target, b"new" * 1000)
    assert says in str(caught.value)
    assert target.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["walk.bvh"]


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_modes_are_those_of_any_other_file(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_bytes(b"")
    write_bytes(tmp_path / "new", b"x")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == stat.S_IMODE(old.stat().st_mode)
    old.chmod(0o640)
    write_bytes(old, b"x")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix", reason="links need a right of their own on Windows")
def test_a_link_is_followed(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_bytes(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "later")
    write_bytes(dangling, b"made")
    assert (tmp_path / "later").read_bytes() == b"made"


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there is no /dev/null")
def test_a_device_is_written_to_and_not_replaced() -> None:
    write_bytes("/dev/null", b"x")
    assert not Path("/dev/null").is_file()


def test_new_files_have_the_mode_of_any_other_and_nobody_touches_the_mask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").write_bytes(b"")
    monkeypatch.setattr(os, "umask", lambda _: pytest.fail("the mask belongs to all threads"))
    write_bytes(tmp_path / "ours", b"x")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links here")
def test_a_link_is_replaced_where_it_must_not_be_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    write_bytes(tmp_path / "link", b"x", follow=False)
    assert not (tmp_path / "elsewhere").exists()
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "link").read_bytes() == b"x"
