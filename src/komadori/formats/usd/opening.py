"""Opening a USD stage without leaving the folder of its file, and without a word on the terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from komadori.errors import FormatError, one_line, quoted
from komadori.files import read_bytes
from komadori.formats import apart
from komadori.formats.usd.values import UnfitError
from komadori.words import Note

USD = apart.Extra("USD", "pxr", "usd-core", "usd")
ADVICE = Note("only files in the folder of the USD file are followed")
MOST_LAYERS = 1000


@contextmanager
def quiet(path: str | os.PathLike[str]) -> Iterator[None]:
    """Within it USD prints nothing, and its errors are FormatErrors of one line."""
    from pxr import Tf, UsdUtils

    delegate = UsdUtils.CoalescingDiagnosticDelegate()
    try:
        yield
    except Tf.ErrorException as error:
        raise FormatError(path, expected=Note("a valid USD file"), found=quoted(_reason(error), 200)) from None
    except UnfitError as error:
        expected, found = (
            Note("a value of the kind that its name says"),
            Note("one of the type {kind}", kind=error.kind),
        )
        raise FormatError(path, one_line(error.place, 100), expected=expected, found=found) from None
    except UnicodeDecodeError:
        # Wherever USD returns a name, whatever bytes the file holds.
        raise FormatError(path, problem=Note("a name is not UTF-8 text")) from None
    finally:
        # Collected errors would be printed at exit.
        delegate.TakeUncoalescedDiagnostics()
        del delegate


def _reason(error: Any) -> str:
    try:
        return str(error.args[0].commentary).strip() or Note("an error without a message")
    except (AttributeError, IndexError, UnicodeDecodeError):
        # USD quotes the file in its message, whatever bytes stand there.
        return Note("an error that cannot be described")


def stage_at(path: Path) -> Any:
    """The stage in the file at `path`; every layer that it is made of lies in the same folder or below."""
    from pxr import Usd

    read_bytes(path)
    home = Path(os.path.realpath(path.parent))
    real = path.parent / path.name
    root = _layer(str(real.absolute()), path)
    _check(root, path, home)
    stage = Usd.Stage.Open(root, Usd.Stage.LoadAll)
    for layer in stage.GetUsedLayers():
        if layer.realPath and not inside(layer.realPath, home):
            raise FormatError(
                path, expected=Note("layers in the file's folder"), found=quoted(layer.identifier), advice=ADVICE
            )
    return stage


def inside(place: str, home: Path) -> bool:
    """Whether a resolved path (of a file, or of one inside a .usdz) lies in the folder `home`, links followed."""
    return Path(os.path.realpath(place.partition("[")[0])).is_relative_to(home)


def _layer(identifier: str, path: Path) -> Any:
    from pxr import Sdf

    layer = Sdf.Layer.FindOrOpen(identifier)
    if layer is None:
        raise FormatError(
            path,
            problem=Note("the layer {identifier} cannot be opened", identifier=quoted(identifier)),
        )
    return layer


def _check(root: Any, path: Path, home: Path) -> None:
    """A FormatError if a layer would draw in another that lies elsewhere; nothing is opened before it is checked."""
    from pxr import Ar, Sdf

    seen: set[str] = set()
    waiting = [root]
    while waiting:
        layer = waiting.pop()
        seen.add(layer.identifier)
        if len(seen) > MOST_LAYERS:
            raise FormatError(path, problem=Note("more than {most} layers", most=MOST_LAYERS))
        _refuse_clips(layer, path)
        for asset in sorted(layer.GetCompositionAssetDependencies()):
            if asset.startswith("`"):
                raise FormatError(
                    path,
                    expected=Note("plain file names"),
                    found=Note("the expression {asset}", asset=quoted(asset)),
                    advice=ADVICE,
                )
            if not asset:
                continue
            identifier = Sdf.ComputeAssetPathRelativeToLayer(layer, asset)
            resolved = str(Ar.GetResolver().Resolve(identifier))
            if not inside(resolved or identifier, home):
                raise FormatError(
                    path, expected=Note("layers in the file's folder"), found=quoted(asset), advice=ADVICE
                )
            if not resolved:
                raise FormatError(
                    path,
                    problem=Note("layer not found: {asset}", asset=quoted(asset)),
                )
            if identifier not in seen:
                waiting.append(_layer(identifier, path))


def _refuse_clips(layer: Any, path: Path) -> None:
    """Value clips name files in ways of their own; no exporter of characters writes them."""
    found: list[str] = []

    def look(spec_path: Any) -> None:
        if not spec_path.IsPropertyPath() and not spec_path.IsTargetPath():
            spec = layer.GetObjectAtPath(spec_path)
            if spec is not None and not found and hasattr(spec, "HasInfo") and spec.HasInfo("clips"):
                found.append(str(spec_path))

    layer.Traverse(layer.pseudoRoot.path, look)
    if found:
        raise FormatError(
            path,
            one_line(found[0], 80),
            problem=Note("value clips cannot be read; export the animation as time samples"),
        )
