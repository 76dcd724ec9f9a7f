"""Both languages say the same: every note and help line in the source has a Japanese entry with the same values."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

from komadori.cli.commands import commands
from komadori.cli.hooks import HOOKS
from komadori.methods import METHODS
from komadori.words_ja import JAPANESE

SOURCE = Path(__file__).parents[2] / "src" / "komadori"
BLENDER = Path(__file__).parents[2] / "blender"
ALIKE = {"{path}", "{choices}"}
"""Templates in which there is nothing to translate."""


def string(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def named(tree: ast.AST, name: str) -> Iterator[str]:
    """The strings that a variable called `name` takes: by assignment, or in a loop over a literal."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            yield from filter(None, [string(node.value)])
        elif isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Tuple | ast.List):
            targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
            for place, target in enumerate(targets):
                if isinstance(target, ast.Name) and target.id == name:
                    items = [item.elts[place] if isinstance(item, ast.Tuple) else item for item in node.iter.elts]
                    yield from filter(None, map(string, items))


def calls(path: Path) -> Iterator[tuple[ast.Call, str, ast.AST]]:
    """(call, what is called, the whole file) for every call in a source file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node, node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", ""), tree


def templates(call: ast.Call, tree: ast.AST) -> list[str]:
    """What the first argument of a Note may be."""
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Name):
        return list(named(tree, first.id))
    return [text for text in [string(first)] if text is not None]


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of everything in a source file that a user may read in either language."""
    for call, called, tree in calls(path):
        texts: list[str] = []
        if called in ("Note", "Fact", "translated"):
            texts += templates(call, tree)
        if called in ("Argument", "parameter") and len(call.args) > 1:
            texts += filter(None, [string(call.args[1])])
        if called in ("Argument", "Command", "Option", "Program", "parameter"):
            for keyword in call.keywords:
                if keyword.arg in ("help", "unit"):
                    texts += (string(keyword.value) or "").split("\n\n")
        yield from ((call.lineno, text) for text in texts if text)


def declared_sentences() -> set[str]:
    """What the methods' declarations say: the catalogue of a method is derived from it, as its faces are."""
    found: set[str] = set()
    for line in METHODS:
        method = line.load()
        found |= {line.summary, method.label, method.title, method.working, method.about}
        found.add(f"Example: {method.example}" if method.example else "")
        found |= {text for item in method.parameters for text in (item.help, item.unit)}
    found |= {example for hook in HOOKS.values() for example in hook.examples}
    return found - {""}


FOUND = sorted(
    {text for path in [*SOURCE.rglob("*.py"), *BLENDER.glob("*.py")] for _, text in sentences(path)}
    | declared_sentences()
    | set(commands().values()) - ALIKE
)


def test_no_note_hides_its_words_from_the_scan() -> None:
    hidden = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for call, called, tree in calls(path)
        if called in ("Note", "Fact") and not templates(call, tree)
    }
    # Units and samples are looked up by other tests here, declarations by this one, parts of a file in test_error_words; words.py makes
    # again what was made.
    told_elsewhere = {
        "formats/choosing.py",
        "formats/mmd/binary.py",
        "cli/methods.py",
        "registry.py",
        "parameters.py",
        "formats/parcel.py",
        "studio/undoing.py",  # the labels of methods and parameters, which are declarations too
    }
    assert hidden <= {"cli/options.py", "cli/samples.py", "words.py", "studio/shelf.py", *told_elsewhere}


def placeholders(template: str) -> list[tuple[str, str, str | None]]:
    """The values that a template shows, and how; `{count:frame|frames}` gives English its plural, which Japanese has not."""
    return sorted(
        (name, "" if "|" in (spec or "") else spec or "", conversion)
        for _, name, spec, conversion in Formatter().parse(template)
        if name
    )


def test_the_scan_finds_what_there_is() -> None:
    assert "show this page and exit" in FOUND
    assert "reading {path}" in FOUND
    assert "frames that must be drawn" in FOUND
    assert any("calibration pose" in text for text in FOUND)


def test_every_sentence_has_its_japanese() -> None:
    missing = [text for text in FOUND if text not in JAPANESE and text not in ALIKE]
    assert not missing
    plain = [text for text in FOUND if text in JAPANESE and not any(ord(letter) > 0x3000 for letter in JAPANESE[text])]
    assert [text for text in plain if text != JAPANESE[text]] == []


def test_every_button_in_blender_has_its_japanese() -> None:
    tree = ast.parse((BLENDER / "operators.py").read_text(encoding="utf-8"))
    own = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name.startswith("KOMADORI_OT_")]
    labels = [text for node in own for text in named(node, "bl_label")]
    assert len(labels) == len(own) > 5
    assert [text for text in [*labels, *map(ast.get_docstring, own)] if text not in JAPANESE] == []


def test_every_sample_has_its_japanese_line() -> None:
    from komadori.characters.samples import DESCRIPTIONS

    assert set(DESCRIPTIONS.values()) <= set(JAPANESE)


def test_both_languages_show_the_same_values() -> None:
    wrong = [english for english, japanese in JAPANESE.items() if placeholders(japanese) != placeholders(english)]
    assert not wrong


def test_no_sentence_of_the_catalogue_is_left_over() -> None:
    """Whatever has Japanese is still said: by the library, the extension, the page, or by a look; labels follow from names."""
    from komadori.pipeline.looks import LOOKS, look_text

    said = "\n".join(
        path.read_text(encoding="utf-8")
        for folder, suffix in ((SOURCE, "*.py"), (BLENDER, "*.py"), (SOURCE / "studio" / "web" / "src", "*.ts"))
        for path in folder.rglob(suffix)
        if path.parent.name != "words_ja" and not path.name.startswith("phrases")
    ) + "\n".join(map(look_text, LOOKS))
    named = {name.replace("_", " ") for name in re.findall(r"(\w+): [^=\n]+ = parameter\(", said)}
    left = [
        english
        for english in JAPANESE
        if english not in FOUND
        and english not in named
        and not any(
            form in said
            for form in (
                english,
                english.replace('"', '\\"'),
                english.replace("'", "\\'"),
                english.replace("(m)", "({unit})"),
            )
        )
    ]
    assert left == []
