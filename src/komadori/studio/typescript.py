"""Messages, parameters and words for the page, written as TypeScript: `python -m komadori.studio.typescript` renews the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec import inspect

from komadori.parameters import Parameter, parameters_of
from komadori.studio import messages, phrases
from komadori.studio.parts.options import LABELS, OPTIONS
from komadori.words import translated

TARGET = Path(__file__).parent / "web" / "src" / "generated.ts"
ROOTS: tuple[type, ...] = (
    *get_args(messages.Ask),
    *get_args(messages.Tell),
    messages.Shelf,
    messages.Dropped,
    messages.Formats,
)


def written() -> str:
    """The whole of `generated.ts`."""
    named: dict[str, str] = {}
    for root in ROOTS:
        _reach(inspect.type_info(root), named)
    lines = ["// Written by `python -m komadori.studio.typescript`; change the Python classes instead.", ""]
    lines += [named[name] for name in sorted(named)]
    lines += [_union("Ask", messages.Ask), _union("Tell", messages.Tell), ""]
    lines += [
        "export interface Parameter {",
        "  name: string; kind: string; default: unknown; unit: string; low: number | null; high: number | null;",
        "  choices: string[]; optional: boolean; help: Said; label: Said;",
        "}",
        f"export const PARAMETERS: Record<string, Parameter[]> = {_json({k: _parameters(v) for k, v in OPTIONS.items()})};",
        f"export const JAPANESE: Record<string, string> = {_json(_japanese())};",
    ]
    return "\n".join(lines) + "\n"


def _union(name: str, union: Any) -> str:
    return f"export type {name} = {' | '.join(kind.__name__ for kind in get_args(union))};"


def _reach(info: inspect.Type, named: dict[str, str]) -> str:
    """The TypeScript of a type; structs on the way are added to `named`."""
    match info:
        case inspect.StructType():
            name = info.cls.__name__
            if name not in named:
                named[name] = ""
                rows = [f"  {info.tag_field}: {json.dumps(info.tag)};"] if info.tag_field else []
                for item in info.fields:
                    mark = "" if item.required or not issubclass(info.cls, _asked()) else "?"
                    rows.append(f"  {item.encode_name}{mark}: {_reach(item.type, named)};")
                named[name] = "\n".join([f"export interface {name} {{", *rows, "}"])
            return name
        case inspect.UnionType():
            return " | ".join(dict.fromkeys(_reach(arm, named) for arm in info.types))
        case inspect.ListType():
            inner = _reach(info.item_type, named)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case inspect.DictType():
            return f"Record<string, {_reach(info.value_type, named)}>"
        case inspect.LiteralType():
            return " | ".join(json.dumps(value) for value in info.values)
        case inspect.IntType() | inspect.FloatType():
            return "number"
        case inspect.StrType():
            return "string"
        case inspect.BoolType():
            return "boolean"
        case inspect.NoneType():
            return "null"
    raise TypeError(f"no TypeScript for {info}")


def _japanese() -> dict[str, str]:
    """Words that the page looks up: its own phrases, and the names of choices and units."""
    words = [item for options in OPTIONS.values() for item in parameters_of(options) if item.faces]
    names = dict.fromkeys(name for item in words for name in (*item.choices, item.unit) if name)
    found = {name: translated(name, "ja") for name in names}
    return {**phrases.japanese(), **{name: word for name, word in found.items() if word != name}}


def _asked() -> tuple[type, ...]:
    return get_args(messages.Ask)


def _parameters(options: type) -> list[dict[str, Any]]:
    return [_parameter(item) for item in parameters_of(options) if item.faces]


def _parameter(item: Parameter) -> dict[str, Any]:
    label = LABELS.get(item.name) or item.name.replace("_", " ")
    kind = "frames" if isinstance(item.default, tuple) else item.kind.__name__
    return {
        "name": item.name,
        "kind": kind,
        "default": list(item.default) if isinstance(item.default, tuple) else item.default,
        "unit": item.unit,
        "low": item.low,
        "high": item.high,
        "choices": list(item.choices),
        "optional": item.optional,
        "help": _said(item.help),
        "label": _said(label),
    }


def _said(text: str) -> dict[str, str]:
    return {"en": text, "ja": translated(text, "ja")}


def _json(value: Any) -> str:
    return msgspec.json.format(json.dumps(value, ensure_ascii=False), indent=2)


if __name__ == "__main__":
    TARGET.write_text(written(), encoding="utf-8")
