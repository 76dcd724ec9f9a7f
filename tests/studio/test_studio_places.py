"""Where the studio keeps its work on each system: simulated here, for only Linux runs these tests before a release."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

platforms = pytest.importorskip("platformdirs", reason="the studio is an extra")
pytest.importorskip("msgspec", reason="the studio is an extra")

from platformdirs import macos, unix, windows  # noqa: E402

from komadori.studio import saving  # noqa: E402


@pytest.mark.parametrize(
    ("system", "parts"),
    [
        (macos.MacOS, ("Library", "Application Support", "komadori", "studio")),
        (unix.Unix, (".local", "share", "komadori", "studio")),
    ],
)
def test_the_work_is_where_programs_keep_their_data(
    system: Callable[..., Any], parts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr(saving, "user_data_path", lambda *given, **named: system(*given, **named).user_data_path)
    assert saving.data_folder().parts[-len(parts) :] == parts


def test_on_windows_it_roams_without_an_author(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(windows, "get_win_folder", lambda name: str(tmp_path / name))
    monkeypatch.setattr(
        saving, "user_data_path", lambda *given, **named: windows.Windows(*given, **named).user_data_path
    )
    assert saving.data_folder() == tmp_path / "CSIDL_APPDATA" / "komadori" / "studio"


def test_an_empty_variable_counts_as_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(saving, "user_data_path", lambda *given, **named: unix.Unix(*given, **named).user_data_path)
    assert saving.data_folder() == tmp_path / "komadori" / "studio"
    monkeypatch.setenv("XDG_DATA_HOME", "")
    assert saving.data_folder().parts[-4:] == (".local", "share", "komadori", "studio")
