"""Writes docs/licences.md and docs/ja/licences.md: what each extra installs, under which licence; run by `make licences`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from komadori.extras import PURPOSE, extras
from komadori.words import told

DOCS = Path(__file__).parent
COPYLEFT = {"x264": "GPL-2.0-or-later", "x265": "GPL-2.0-or-later"}
"""Libraries with a licence stricter than their wrapper's, by a part of their file's name."""
TEXT = {
    "en": (
        "# Licences",
        "[日本語](ja/licences.md)",
        "komadori is under Apache-2.0. Its core needs NumPy and click. Each extra installs what is listed here, with the licence that the "
        "package itself states; a package that others need is listed with the first. This page is written by `make licences`.",
        "## Films and the GPL",
        "The PyAV wheel carries FFmpeg built with {found}, which {are} under the GPL. komadori does not contain or link to {it}; installing "
        "`komadori[video]` puts it on your machine, and a program that you distribute together with that wheel has to respect the GPL. "
        "`.webm` films are encoded by libvpx (BSD) and use no GPL code; `.gif` and `.png` need no PyAV at all: `pip install "
        "'komadori[pictures]'`.",
        ("package", "licence"),
        "Core",
    ),
    "ja": (
        "# ライセンス",
        "[English](../licences.md)",
        "komadori のライセンスは Apache-2.0 です。本体に必要なのは NumPy と click です。オプション機能ごとにインストールされるパッケージと、各パッケージが示すライセンスを"
        "以下に示します（共通のものは最初の欄だけに載せます）。このページは `make licences` で作られます。",
        "## ムービーと GPL",
        "PyAV の wheel には、GPL の {found} を含む FFmpeg が入っています。komadori 自体には含まれず、リンクもしませんが、`komadori[video]` を入れると手元に入ります。"
        "この wheel ごと配布する場合は GPL に従う必要があります。`.webm` は libvpx（BSD）でエンコードされ、GPL のコードを使いません。`.gif` と `.png` には PyAV 自体が"
        "不要です：`pip install 'komadori[pictures]'`。",
        ("パッケージ", "ライセンス"),
        "本体",
    ),
}


def needs(name: str, seen: set[str]) -> Iterator[str]:
    """A distribution and all that it needs, where installed, each once."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in seen:
        return
    seen.add(key)
    try:
        asked = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return
    yield name
    for line in asked:
        if "extra ==" not in line and not re.search(
            r"sys_platform == .(win32|darwin)|python_version < |platform_system == .Windows", line
        ):
            yield from needs(re.split(r"[ <>=!~;\[(]", line, maxsplit=1)[0], seen)


def licence(name: str) -> str:
    """What a distribution says of its licence."""
    about = metadata.metadata(name)
    stated = about.get("License-Expression") or ""
    trove = [line.rsplit(" :: ", 1)[-1] for line in about.get_all("Classifier") or [] if line.startswith("License ::")]
    short = (about.get("License") or "").strip().splitlines()[:1]
    return stated or ", ".join(trove) or (short[0] if short and len(short[0]) < 60 else "see its files")


def page(language: str) -> str:
    """The page in a language."""
    title, twin, opening, films, gpl, heads, core = TEXT[language]
    seen: set[str] = {"komadori"}
    rows = [(core, [*needs("numpy", seen), *needs("click", seen)])]
    for extra in extras():
        names = [one for each in extra.libraries for one in needs(each.name, seen)]
        rows.append((f"`{extra.name}`: {told(PURPOSE[extra.name], language)}", names))
    lines = [title, "", twin, "", opening]
    for head, names in rows:
        lines += ["", f"## {head}", ""]
        lines += [f"| {heads[0]} | {heads[1]} |", "|---|---|", *(f"| {name} | {licence(name)} |" for name in names)]
        if not names:
            lines[-2:] = ["(all of it is listed above)" if language == "en" else "（すべて上に載っています）"]
    carried = sorted({part for file in metadata.files("av") or () for part in COPYLEFT if part in file.name})
    found = ", ".join(f"{part} ({COPYLEFT[part]})" for part in carried)
    lines += [
        "",
        films,
        "",
        gpl.format(found=found, are="is" if len(carried) == 1 else "are", it="it" if len(carried) == 1 else "them"),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (DOCS / "licences.md").write_text(page("en"), encoding="utf-8")
    (DOCS / "ja" / "licences.md").write_text(page("ja"), encoding="utf-8")
