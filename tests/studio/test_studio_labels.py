"""What the studio calls parameters, choices and files: in plain words, in both languages."""

from __future__ import annotations

import re

import pytest

from komadori.parameters import Parameter
from komadori.studio.exporting import formats
from komadori.studio.panels import panels
from komadori.studio.purposes import PURPOSES
from komadori.words import translated

CONTROLS = [
    pytest.param(item, id=f"{name} {item.name}") for name, panel in panels().items() for item in panel.parameters
]
JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
NAMES = {"Action Synopsis"}
"""What is called so everywhere, in every language."""


def raw(words: str, name: str) -> str:
    """Why words are those of the code and not of a person; empty if they are a person's."""
    if re.search(r"[_<>=*]|\d", re.sub(r"\([^)]*\)", "", words)):
        return f"{words!r} reads like code"
    return f"{words!r} is the name that the code uses" if words == name and re.search(r"[_-]|\d", name) else ""


def in_japanese(words: str) -> bool:
    return bool(JAPANESE.search(translated(words, "ja"))) or words in NAMES


@pytest.mark.parametrize("item", CONTROLS)
def test_every_control_has_a_label_of_its_own_in_plain_words(item: Parameter) -> None:
    assert item.label, f"{item.name} shows its raw name: give it a label"
    assert item.label != item.name.replace("_", " "), f"{item.name} is its own label"
    assert not raw(item.label, item.name)
    assert in_japanese(item.label)


@pytest.mark.parametrize("item", CONTROLS)
def test_every_choice_is_called_something_that_a_person_would_say(item: Parameter) -> None:
    assert {choice for choice, _ in item.called} <= set(item.choices)
    told = [item.choice_words(choice) for choice in item.choices]
    assert len({*told}) == len(told), "two choices look the same"
    for choice, words in zip(item.choices, told, strict=True):
        assert not raw(words, choice)
        assert in_japanese(words)


@pytest.mark.parametrize(
    ("words", "name"), [("max_gap", "max_gap"), ("n4sid", "n4sid"), ("at-once", "at-once"), ("p < 3", "p")]
)
def test_a_raw_label_is_found_out(words: str, name: str) -> None:
    assert raw(words, name)


def test_every_file_says_what_it_is_for_and_what_opens_it() -> None:
    offered = {(item.kind, item.suffix): item for item in formats()}
    assert offered.keys() == PURPOSES.keys()
    for item in offered.values():
        assert len(item.purpose.en.split()) > 6, item.suffix
        assert re.search(r"open|read|runs|paste", item.purpose.en), item.suffix
        assert JAPANESE.search(item.purpose.ja), item.suffix
