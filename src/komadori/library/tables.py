"""Tables: one row per clip, as CSV for people, SQLite for questions and Parquet where pyarrow is installed."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from komadori.errors import KomadoriError, OptionError
from komadori.formats.cells import inert
from komadori.words import Note

Value = str | int | float | None
Row = Mapping[str, Value]

SUFFIXES = (".csv", ".sqlite", ".parquet")
TABLE = "clips"
"""What the table is called in a database."""


def encoded(rows: Sequence[Row], columns: Sequence[str], suffix: str) -> bytes:
    """The rows as the bytes of a file of that suffix; a value that a row lacks stays empty."""
    if suffix == ".csv":
        return _csv(rows, columns)
    if suffix == ".sqlite":
        return _sqlite(rows, columns)
    if suffix == ".parquet":
        return _parquet(rows, columns)
    raise OptionError(
        "table", expected=Note("a file name that ends in {names}", names=", ".join(SUFFIXES)), found=suffix
    )


def can_write_parquet() -> bool:
    """Whether pyarrow is installed."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        return False
    return True


def _csv(rows: Sequence[Row], columns: Sequence[str]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_told(row.get(name)) for name in columns] for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _told(value: Value) -> Value:
    """A spreadsheet treats text that begins like a formula as one; numbers keep their sign."""
    return inert(value) if isinstance(value, str) else value


def _sqlite(rows: Sequence[Row], columns: Sequence[str]) -> bytes:
    with TemporaryDirectory(prefix="komadori-") as folder:
        path = Path(folder, "table.sqlite")
        base = sqlite3.connect(path)
        try:
            names = ", ".join(f'"{name}" {_kind(rows, name)}' for name in columns)
            base.execute(f'CREATE TABLE "{TABLE}" ({names})')
            places = ", ".join("?" * len(columns))
            filled = ([_clean(row.get(name)) for name in columns] for row in rows)
            base.executemany(f'INSERT INTO "{TABLE}" VALUES ({places})', filled)
            base.commit()
        finally:
            base.close()
        return path.read_bytes()


def _clean(value: Value) -> Value:
    """In a path that is not UTF-8, unknown bytes become a replacement mark."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _kind(rows: Sequence[Row], name: str) -> str:
    held = [value for row in rows if (value := row.get(name)) is not None]
    if held and all(isinstance(value, int) for value in held):
        return "INTEGER"
    return "REAL" if held and all(isinstance(value, int | float) for value in held) else "TEXT"


def _parquet(rows: Sequence[Row], columns: Sequence[str]) -> bytes:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise KomadoriError(
            Note("a Parquet table needs pyarrow, which is not installed: pip install 'komadori[parquet]'")
        ) from None
    kinds = {"INTEGER": pyarrow.int64(), "REAL": pyarrow.float64(), "TEXT": pyarrow.string()}
    fields = {
        name: pyarrow.array([_clean(row.get(name)) for row in rows], kinds[_kind(rows, name)]) for name in columns
    }
    target = io.BytesIO()
    parquet.write_table(pyarrow.table(fields), target)
    return target.getvalue()
