"""What MkDocs asks this project for: the reference, written from the code while the site is built, and the other language of a page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import komadori
from komadori.cli import run
from komadori.cli.commands import commands
from komadori.cli.options import limits
from komadori.methods import METHODS
from komadori.parameters import parameters_of
from komadori.pipeline.looks import LOOKS, look_text
from komadori.words import Note, told
from komadori.words_ja import JAPANESE

ROOT = Path(__file__).parents[2]
LANGUAGES = ("en", "ja")
WORKER = "assets/frame_worker.js"
SHIM = "https://unpkg.com/iframe-worker/shim"
TITLES = {
    "commands": ("Commands", "コマンド"),
    "options": ("Methods and recipe keys", "手法とレシピのキー"),
    "messages": ("Messages", "メッセージ"),
    "looks": ("Built-in looks", "付属のルック"),
}
GROUPS: dict[str, Callable[[str, object], bool]] = {
    "Methods": lambda name, value: name in {line.name for line in METHODS},
    "Results": lambda name, value: name.endswith("Result") or name in ("Result", "Measure"),
    "Errors": lambda name, value: name.endswith("Error"),
    "Files": lambda name, value: name in ("load", "load_character", "load_sheet", "save", "sample"),
    "Types and functions": lambda name, value: True,
}


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that are written from the code, and the examples that pages link to."""
    for language in LANGUAGES:
        folder = "reference" if language == "en" else f"{language}/reference"
        for name, page in (
            ("commands", commands_page),
            ("options", options_page),
            ("messages", messages_page),
            ("looks", looks_page),
        ):
            text = "".join(f"{line}\n" for line in page(language))
            files.append(File.generated(config, f"{folder}/{name}.md", content=text))
    text = "".join(f"{line}\n" for line in python_page())
    files.append(File.generated(config, "reference/python.md", content=text))
    files.append(File.generated(config, WORKER, abs_src_path=str(Path(__file__).with_name("frame_worker.js"))))
    for path in sorted((ROOT / "examples").rglob("*")):
        if path.is_file():
            at = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, at, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: Any, files: Files) -> str:
    """Links that lead out of docs/ in the repository lead to the site's copies."""
    return re.sub(r"\]\(((?:\.\./)+)examples/", lambda link: f"]({link[1][3:]}examples/", markdown)


def on_post_page(output: str, page: Page, config: Any) -> str:
    """The theme would fetch what its search needs in a folder from another host; here it is a file of the site."""
    return output.replace(SHIM, "../" * page.url.count("/") + WORKER)


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    """The same for pages that are made of a template alone."""
    return output_content.replace(SHIM, WORKER)


def on_page_context(context: dict[str, Any], page: Page, config: Any, nav: Any) -> dict[str, Any]:
    """The language menu of each page leads to the same page in the other language, if there is one."""
    here = page.file.src_uri
    other = here.removeprefix("ja/") if here.startswith("ja/") else f"ja/{here}"
    up = "../" * page.url.count("/")
    if other in _URLS:
        pair = {("ja" if name.startswith("ja/") else "en"): up + _URLS[name] for name in (here, other)}
        config.extra["alternate"] = [
            {"name": "English", "link": pair["en"], "lang": "en"},
            {"name": "日本語", "link": pair["ja"], "lang": "ja"},
        ]
    else:
        config.extra.pop("alternate", None)
    return context


_URLS: dict[str, str] = {}


def on_nav(nav: Any, config: Any, files: Files) -> Any:
    """Remembers where each page will be."""
    _URLS.update({file.src_uri: file.url for file in files.documentation_pages()})
    return nav


def commands_page(language: str) -> Iterator[str]:
    """Every command's own help page."""
    yield f"# {TITLES['commands'][LANGUAGES.index(language)]}"
    for name in ["", *commands()]:
        shown = io.StringIO()
        with redirect_stdout(shown):
            run([*([name] if name else []), "--help", "--lang", language])
        yield from ("", f"## komadori {name}".rstrip(), "", "```text", shown.getvalue().rstrip(), "```")


def options_page(language: str) -> Iterator[str]:
    """Every method's parameters: the same names in Python, in a recipe and, with dashes, on the command line."""
    yield f"# {TITLES['options'][LANGUAGES.index(language)]}"
    heads = ("name", "default", "range", "what it does"), ("名前", "既定値", "範囲", "説明")
    for line in METHODS:
        declaration = getattr(komadori, line.name).declaration
        yield from ("", f"## {line.name}", "", _cell(Note(line.summary), language), "")
        yield from _table(heads[LANGUAGES.index(language)], _parameters(declaration.options, language))


def _parameters(options: type, language: str) -> Iterator[tuple[str, ...]]:
    for one in parameters_of(options):
        default = "" if one.required or one.default is None else f"`{one.default}`"
        allowed = ", ".join(f"`{choice}`" for choice in one.choices) or _cell(limits(one), language)
        yield f"`{one.name}`", default, allowed, _cell(one.help, language)


def messages_page(language: str) -> Iterator[str]:
    """Every sentence that komadori can say, in both languages."""
    yield f"# {TITLES['messages'][LANGUAGES.index(language)]}"
    yield ""
    yield from _table(
        ("English", "日本語"), ((_safe(english), _safe(ours)) for english, ours in sorted(JAPANESE.items()))
    )


def looks_page(language: str) -> Iterator[str]:
    """The built-in recipes exactly as in their files."""
    yield f"# {TITLES['looks'][LANGUAGES.index(language)]}"
    for name in LOOKS:
        yield from ("", f"## {name}", "", "```toml", look_text(name).rstrip(), "```")


def python_page() -> Iterator[str]:
    """Every public name, from its docstring."""
    yield "# Python"
    left = dict.fromkeys(komadori.__all__)
    left.pop("characters", None)
    for group, belongs in GROUPS.items():
        names = [name for name in left if belongs(name, getattr(komadori, name))]
        yield from ("", f"## {group}")
        for name in names:
            del left[name]
            value = getattr(komadori, name)
            home = getattr(value, "__module__", "komadori")
            yield from (
                "",
                f"::: {home}.{name}",
                "    options:",
                f"      heading: komadori.{name}",
                "      heading_level: 3",
            )


def _table(heads: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def _cell(words: str, language: str) -> str:
    return _safe(told(words, language))


def _safe(text: str) -> str:
    for sign, written in (
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ("|", "\\|"),
        ("*", "\\*"),
        ("_", "\\_"),
        ("[", "\\["),
    ):
        text = text.replace(sign, written)
    return " ".join(text.split())
