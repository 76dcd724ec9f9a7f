"""Scripts: the handle's path as a few lines of arithmetic, `x = 0.3*sin(2*pi*t)`. Parsed here, for many times at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from komadori.errors import FormatError, OptionError, at_line, quoted
from komadori.methods.puppet.take import Take, frame_times
from komadori.quat import Array
from komadori.words import Note

Node = Callable[[Mapping[str, Array]], Array]

_TOKEN = re.compile(
    r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(\*\*|[-+*/%^(),]))", re.ASCII
)
_CONSTANTS = {"pi": np.pi, "tau": 2.0 * np.pi, "e": np.e}
_FUNCTIONS: dict[str, tuple[int, Callable[..., Array]]] = {
    "sin": (1, np.sin), "cos": (1, np.cos), "tan": (1, np.tan), "asin": (1, np.arcsin), "acos": (1, np.arccos),
    "atan": (1, np.arctan), "atan2": (2, np.arctan2), "sqrt": (1, np.sqrt), "exp": (1, np.exp), "log": (1, np.log),
    "abs": (1, np.abs), "sign": (1, np.sign), "floor": (1, np.floor), "min": (2, np.minimum), "max": (2, np.maximum),
    "clip": (3, np.clip),
    "wave": (1, lambda a: 1.0 - 4.0 * np.abs(a - np.floor(a) - 0.5)),
    "smooth": (3, lambda a, b, x: (s := np.clip((x - a) / (b - a), 0.0, 1.0)) * s * (3.0 - 2.0 * s)),
}  # fmt: skip
"""Name -> how many values it takes, and what it does. wave(a): a triangle from -1 to 1 and back once a unit;
smooth(a, b, x): 0 before a, 1 after b."""
_LONGEST = 20_000
_DEEPEST = 60
_MOST_TOKENS = 300


@dataclass(frozen=True, eq=False)
class Script:
    """A parsed script: ask it where the handle is. `seconds` is the length that it states, or None."""

    name: str
    lines: tuple[tuple[int, str, Node], ...]
    """Line number, the name that the line sets, and its expression."""
    seconds: float | None
    text: str = ""
    """As it was written."""

    def at(self, times: ArrayLike) -> Array:
        """(F, 3) the handle at `times` (F,) in seconds."""
        t = np.asarray(times, dtype=np.float64)
        known: dict[str, Array] = {"t": t, **{name: np.asarray(value) for name, value in _CONSTANTS.items()}}
        for axis in "xyz":
            known[axis] = np.zeros_like(t)
        with np.errstate(all="ignore"):
            for number, name, node in self.lines:
                value = np.broadcast_to(node(known), t.shape)
                bad = np.flatnonzero(~np.isfinite(value))
                if len(bad):
                    found = Note("{value} at t = {seconds:g}", value=value[bad[0]], seconds=t[bad[0]])
                    raise FormatError(
                        self.name,
                        at_line(number),
                        expected=Note("a finite {name}", name=name),
                        found=found,
                    )
                known[name] = value
        return np.stack([known[axis] for axis in "xyz"], axis=-1)

    def take(self, seconds: float | None = None, fps: float = 24.0) -> Take:
        """The script performed for `seconds` (its own length if it states one)."""
        length = self.seconds if seconds is None else seconds
        if length is None:
            raise OptionError(Note("{name}: say how long it lasts, with a line such as: seconds = 4", name=self.name))
        times = frame_times(length, fps)
        return Take(self.at(times), times)


def parsed(text: str, name: str = "script") -> Script:
    """The script in `text`: lines `name = expression`; x, y and z (0 where not set) are the handle, in metres.

    Expressions know numbers, + - * / % ** ( ), t in seconds, pi, tau, e, names set on lines above, and sin cos tan
    asin acos atan atan2 sqrt exp log abs sign floor min max clip wave smooth. `#` begins a comment.

    >>> parsed("x = 0.3*sin(2*pi*t)").at([0.0, 0.25]).round(3).tolist()
    [[0.0, 0.0, 0.0], [0.3, 0.0, 0.0]]
    """
    if len(text) > _LONGEST:
        raise FormatError(
            name, expected=Note("a script of at most {most} characters", most=_LONGEST), found=str(len(text))
        )
    lines: list[tuple[int, str, Node]] = []
    known = {"t", "x", "y", "z", *_CONSTANTS}
    seconds = None
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.split("#", 1)[0].strip()
        if not line:
            continue
        target, equals, expression = line.partition("=")
        target = target.strip()
        if not equals or not re.fullmatch(r"[A-Za-z_]\w*", target, re.ASCII):
            raise FormatError(name, at_line(number), expected=Note("name = expression"), found=quoted(line))
        if target in ("t", *_CONSTANTS, *_FUNCTIONS):
            raise FormatError(
                name,
                at_line(number),
                expected=Note("a name that is not used yet"),
                found=Note("{target}, which is taken", target=target),
            )
        node = _Parser(expression, name, number, known).whole()
        if target == "seconds":
            seconds = _seconds(node, name, number)
        else:
            lines.append((number, target, node))
            known.add(target)
    if not any(target in "xyz" for _, target, _ in lines):
        raise FormatError(name, expected=Note("a line that sets x, y or z"), found=Note("none"))
    return Script(name, tuple(lines), seconds, text)


def _seconds(node: Node, name: str, number: int) -> float:
    try:
        with np.errstate(all="ignore"):
            value = float(node({key: np.asarray(constant) for key, constant in _CONSTANTS.items()}))
    except KeyError as error:
        found = Note("one that needs {name}", name=error.args[0])
        raise FormatError(name, at_line(number), expected=Note("a length that does not change"), found=found) from None
    if not 0.0 < value < np.inf:
        raise FormatError(name, at_line(number), expected=Note("a length in seconds"), found=f"{value:g}")
    return value


class _Parser:
    """Recursive descent over one expression: sum, product, sign, power, atom."""

    def __init__(self, text: str, name: str, line: int, known: set[str]) -> None:
        self.text, self.name, self.line, self.known = text, name, line, known
        self.depth = 0
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while text[at:].strip():
            match = _TOKEN.match(text, at)
            if match is None:
                self.fail(Note("arithmetic"), quoted(text[at:].strip()[:20]))
            kind = ("number", "name", "sign")[next(i for i in range(3) if match[i + 1] is not None)]
            self.tokens.append((kind, match[0].strip()))
            at = match.end()
        if len(self.tokens) > _MOST_TOKENS:
            self.fail(Note("an expression of at most {most} words", most=_MOST_TOKENS), str(len(self.tokens)))
        self.tokens.append(("end", ""))

    def fail(self, expected: str, found: str) -> NoReturn:
        raise FormatError(self.name, at_line(self.line), expected=expected, found=found)

    def whole(self) -> Node:
        node = self.sum()
        if self.tokens[0][0] != "end":
            self.fail(Note("an operator such as + or *"), quoted(self.tokens[0][1]))
        return node

    def accept(self, *signs: str) -> str | None:
        kind, text = self.tokens[0]
        if kind == "sign" and text in signs:
            self.tokens.pop(0)
            return text
        return None

    def sum(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.fail(
                Note("an expression that is not nested too deeply"), Note("more than {most} levels", most=_DEEPEST)
            )
        left = self.product()
        while sign := self.accept("+", "-"):
            left = _pair(np.add if sign == "+" else np.subtract, left, self.product())
        self.depth -= 1
        return left

    def product(self) -> Node:
        left = self.signed()
        while sign := self.accept("*", "/", "%"):
            left = _pair({"*": np.multiply, "/": np.divide, "%": np.mod}[sign], left, self.signed())
        return left

    def signed(self) -> Node:
        negative = False
        while sign := self.accept("-", "+"):
            negative ^= sign == "-"
        node = self.power()
        return (lambda known: -node(known)) if negative else node

    def power(self) -> Node:
        base = self.atom()
        if self.accept("**", "^"):
            self.depth += 1
            if self.depth > _DEEPEST:
                self.fail(
                    Note("an expression that is not nested too deeply"), Note("more than {most} levels", most=_DEEPEST)
                )
            exponent = self.signed()
            self.depth -= 1
            return _pair(np.power, base, exponent)
        return base

    def atom(self) -> Node:
        kind, text = self.tokens.pop(0)
        if kind == "number":
            value = np.asarray(float(text))
            return lambda known: value
        if kind == "name" and self.accept("("):
            return self.call(text)
        if kind == "name":
            if text not in self.known:
                advice = (
                    Note("{text} without its brackets", text=text)
                    if text in _FUNCTIONS
                    else Note("the unknown name {text}", text=quoted(text))
                )
                self.fail(Note("a number, t, a name set above, or a function"), advice)
            return lambda known: known[text]
        if text == "(":
            node = self.sum()
            if not self.accept(")"):
                self.fail(
                    Note("a closing bracket"),
                    quoted(self.tokens[0][1]) if self.tokens[0][1] else Note("the end of the line"),
                )
            return node
        return self.fail(Note("a number, a name or a bracket"), quoted(text) if text else Note("the end of the line"))

    def call(self, function: str) -> Node:
        if function not in _FUNCTIONS:
            self.fail(Note("one of the functions {names}", names=", ".join(_FUNCTIONS)), quoted(function))
        wanted, apply = _FUNCTIONS[function]
        values = [] if self.accept(")") else [self.sum()]
        while values and not self.accept(")"):
            if not self.accept(","):
                self.fail(
                    Note("a comma or a closing bracket"),
                    quoted(self.tokens[0][1]) if self.tokens[0][1] else Note("the end of the line"),
                )
            values.append(self.sum())
        if len(values) != wanted:
            self.fail(
                Note("as many values as {function} takes ({wanted})", function=function, wanted=wanted),
                str(len(values)),
            )
        return lambda known: np.asarray(apply(*(value(known) for value in values)))


def _pair(apply: Callable[[Array, Array], Array], left: Node, right: Node) -> Node:
    return lambda known: apply(left(known), right(known))
