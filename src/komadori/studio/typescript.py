"""Messages (JSON and binary) and words for the page, as TypeScript: `python -m komadori.studio.typescript`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec import inspect

from komadori.studio import messages, phrases
from komadori.studio.messages import live
from komadori.studio.packing import array_kind

TARGET = Path(__file__).parent / "web" / "src" / "generated.ts"
ROOTS: tuple[type, ...] = (
    *get_args(messages.Ask),
    *get_args(messages.Tell),
    *get_args(messages.Arrays),
    *get_args(live.LiveAsk),
    *get_args(live.LiveTell),
    messages.Shelf,
    messages.Dropped,
    messages.Formats,
    messages.Methods,
    messages.ProjectList,
)


def written() -> str:
    """The whole of `generated.ts`."""
    named: dict[str, str] = {}
    for root in ROOTS:
        _reach(inspect.type_info(root), named)
    lines = ["// Written by `python -m komadori.studio.typescript`; change the Python classes instead.", ""]
    lines += [named[name] for name in sorted(named)]
    lines += [_union(name, getattr(messages, name)) for name in ("Ask", "Tell", "Arrays")]
    lines += [_union("LiveAsk", live.LiveAsk), _union("LiveTell", live.LiveTell)]
    hand = [item.name for item in msgspec.structs.fields(messages.HandInput)]
    lines += [
        "export interface Floats { data: Float32Array<ArrayBuffer>; shape: number[] }",
        "export interface Ints { data: Int32Array<ArrayBuffer>; shape: number[] }",
        f"export const HAND_KIND = {_literal({kind.name.lower(): kind.value for kind in messages.HandKind})} as const;",
        "/** What the hand sends: these numbers, 32 bits each, one after another. */",
        f"export const HAND_INPUT = {_literal(hand)} as const;",
        "export type HandInput = Record<(typeof HAND_INPUT)[number], number>;",
        "",
    ]
    lines += [
        f"export const JAPANESE: Record<string, string> = {_literal(phrases.japanese())};",
    ]
    return "\n".join(lines) + "\n"


def _union(name: str, union: Any) -> str:
    return f"export type {name} = {' | '.join(kind.__name__ for kind in get_args(union))};"


def _reach(info: inspect.Type, named: dict[str, str]) -> str:
    """The TypeScript of a type; structs on the way are added to `named`."""
    match info:
        case inspect.StructType():
            name = info.cls.__name__
            if name not in named and info.array_like:
                rows = [f"{item.encode_name}: {_reach(item.type, named)}" for item in info.fields]
                named[name] = f"export type {name} = [{', '.join(rows)}];"
            elif name not in named:
                named[name] = ""
                rows = [f"  {info.tag_field}: {json.dumps(info.tag)};"] if info.tag_field else []
                for item in info.fields:
                    mark = "?" if not item.required and _may_be_left_out(info.cls, item) else ""
                    rows.append(f"  {item.encode_name}{mark}: {_reach(item.type, named)};")
                named[name] = "\n".join([f"export interface {name} {{", *rows, "}"])
            return name
        case inspect.Metadata():
            return {"f32": "Floats", "i32": "Ints"}[array_kind(info) or ""]
        case inspect.UnionType():
            return " | ".join(dict.fromkeys(_reach(arm, named) for arm in info.types))
        case inspect.ListType():
            inner = _reach(info.item_type, named)
            if info.min_length is not None and info.min_length == info.max_length:
                return f"[{', '.join([inner] * info.min_length)}]"
            return f"({inner})[]" if "|" in inner and not inner.startswith("[") else f"{inner}[]"
        case inspect.TupleType():
            return f"[{', '.join(_reach(item, named) for item in info.item_types)}]"
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
        case inspect.AnyType():
            return "unknown"
        case inspect.NoneType():
            return "null"
    raise TypeError(f"no TypeScript for {info}")


def _may_be_left_out(message: type, item: inspect.Field) -> bool:
    """Whether a field with a default need not be there: the page may omit it, and so are arrays that are None."""
    asked = issubclass(message, (*get_args(messages.Ask), *get_args(live.LiveAsk), messages.Edit))
    return asked or array_kind(item.type) is not None


def _literal(value: Any) -> str:
    return msgspec.json.format(json.dumps(value, ensure_ascii=False), indent=2)


if __name__ == "__main__":
    TARGET.write_text(written(), encoding="utf-8")
