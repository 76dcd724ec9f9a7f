"""How the project speaks: none of the phrases that its glossary replaces, in the documents, in what the program says, or in the studio."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from komadori.words_ja import JAPANESE

ROOT = Path(__file__).parents[1]
NOT_OURS = {"CHANGELOG.md"}

ENGLISH = {
    r"\w\(s\)(?!\w)": "a real plural, by count",
    r"\bheld away\b": "held",
    r"\bgave way to the one before\b": "held",
    r"\ba drawing stays\b": "average exposure",
    r"\bfound one that is none\b": "say what is wrong",
    r"\bis a wig\b|\ba wig\b": "all strands in phase",
    r"\bthe way is\b|\bon a long way\b|\bway is scaled\b": "travel, path",
    r"\bpaper 00\d\b": "the authors and the title",
    r"\bpicture is not there\b": "texture missing",
    r"\bexpected a readable file\b": "File not found",
    r"\bthe whole way\b": "everything, from start to end",
    r"\bfor ever\b": "forever, without end",
    r"\b(?:folder|file|path|one) that is none\b(?! of)": "not a directory, not a file",
    r"\ba (?:file|row|path|line) a (?:page|frame|line|drawing|joint)\b": "one file per page",
    r"\bone a (?:frame|drawing|turn)\b(?! \|)": "one per frame",
    r"\bgoes? along (?:on|with)\b": "follows",
    r"\bthe way through the scene\b": "travel",
    r"\bwhat (?:came )?is heard\b|\bis told in\b": "received, reported",
    r"\bnumbers that are none\b": "missing values",
}
MESSAGES = {
    r"\b(?:was|were) taken\b": "assumed, used, read as",
    r"\bput(?:ting)? onto\b": "retarget to",
    r"\bstanding f(?:oo|ee)t\b": "planted feet",
    r"\bframes a second\b|\bmetres a second\b": "fps, metres per second",
    r"\b(?:one|row|line|value|angles|numbers) an? (?:page|frame|line|drawing|joint|bone|clip)\b": "one per frame",
    r"\bto the letter\b": "exactly, as printed",
    r"\bfrom hand to foot\b": "about 1.75 m tall",
    r"\banew\b": "again; redrawn",
    r"\bfrom \d on\b|\bfrom \{low(?::g)?\} on\b": "0 or more, at least",
    r"\bsane\b|\ba sound\b|\bsound (?:meshes|faces)\b": "plausible, valid",
    r"\brising\b": "increasing",
    r"\bin all\)": "in total",
    r"\bof (?:its|their|your) own\b(?! file)": "unique, separate",
    r"\brecipe cannot tell\b": "store",
}
"""Only in what the program says; docstrings and the pages that programs write still say some of these."""
PAGES = {
    r"\b(?:frames|metres|pictures|seconds|degrees|radians|packets|clips|cm|mm) a (?:frame|second|minute)\b": "per frame, per second",
    r"\ba note says\b": "a note tells you",
    r"\bof others\b": "other people's, other",
    r"\bwhat hangs\b": "bone chains",
    r"\ba drawing stands\b|\bdrawings? that (?:is|are) held\b": "exposure, held drawings",
    r"\bto the letter\b": "exactly, as printed",
    r"\bsays what is\b|\bsays so\b": "tells you",
    r"\bwhere not (?:given|named)\b": "by default",
    r"\bgoes on where\b": "continues",
    r"\bstanding f(?:oo|ee)t\b": "planted feet",
    r"\bon(?:to)? (?:a|the) character's file\b|\ba character's file\b": "a character file",
    r"\bof its own kind\b|\ba (?:cel|clock|track|process|file) of (?:its|their) own\b": "its own cel, a separate process",
}
"""Only in the pages that people write: tables and the pages on the papers are written by programs, and some messages still say these."""
CODE = {
    r"\b(?:frames|metres|degrees|radians|pixels|packets|pictures|lengths|units|steps|cycles) an? (?:second|minute|frame|metre|cycle|step|joint)\b": "per second, per frame",
    r"\b(?:row|line|record|key|value|cell|dot|mesh|number|place|mark) an? (?:frame|clip|key|joint|drawing|triangle|corner|measure|turn|material)\b": "one per frame",
    r"\ba second, a second\b": "per second squared",
    r"\b(?:OptionError|FormatError|KomadoriError|OutputError|EOFError|TypeError) where\b": "if",
    r"\bNone where\b|\bwhere (?:it|they) (?:is|are) not given\b|\bwhere there (?:is|are)\b": "if",
    r"\bvouche[sd]?\b|\bvouch for\b": "untrusted",
    r"\banew\b": "again; redrawn",
    r"\bamid\b": "in, during",
    r"\bspoilt\b": "damaged",
    r"\bby and by\b": "gradually",
    r"\b(?:can|to) mend\b|\bmended\b": "fix, repair",
    r"\bwhat came of\b": "the outcome of",
    r"\bgo(?:es)? on\b(?! (?:ones|twos|threes))": "continue",
    r"\b[Ww]hoever\b": "somebody who, a clip that",
    r"\ba (?:process|thread|file|folder|cel|clock|line|number|name|track) of (?:its|their|our) own\b": "a separate process, its own file",
    r"\b(?:all|everything) that hangs (?:from|on) (?:it|them)\b|\bwhat hangs from (?:it|them)\b": "everything below it",
    r"\breckon(?:s|ed)?\b": "compute",
    r"\babout the upright\b": "about the vertical",
    r"\b[Ww]orld (?:places|turns)\b": "world positions, world rotations",
    r"\bworked out\b": "computed",
    r"\bthe head's way\b|\bthe handle's way\b|\bthe way of the (?:root|hips|body)\b": "path, travel",
    r"\bunless told otherwise\b": "by default",
    r"^As `": "Like",
    r"\b\w*Errors? where\b|\bError\b[^.:;]{0,30} where (?:it|they|`|another|no)\b": "if",
    r"\b(?:refused|omitted|null|false) where\b|\bonly where (?:it|they) (?:is|are) needed\b": "if",
    r"\bwhere (?:it|they|one|that) (?:cannot|is missing|are missing|is installed|is needed)\b": "if",
    r"(?<!is )(?<!are )(?<!stays )\bwhere (?:the|a) (?:file|clip|motion|material) (?:says so|has none|does not say|states)\b": "if",
    r"\bif (?:it|they|none) (?:is|are) at hand\b|\bcan be had\b": "there, installed, available",
    r"\blest\b|\bof no matter\b|\bas like as not\b|\botherwise than\b|\bin one go\b": "so that not, does not matter, often, not, at once",
    r"\b[Ss]ome \d": "about",
    r"\b(?:is|are) no part of\b|(?<!there )\bis no (?:file|motion|array|model|step|project|parcel|body)\b": "is not a, is not part of",
}
"""In docstrings, private ones too, and in comments: of the library, the tests, the benchmarks and the extension."""
BY_PROGRAM = {"benchmarks", "papers"}
JAPANESE_WORDS = {
    "中抜き": "中無し",
    "中間フレーム": "中割り",
    "止め絵": "止め",
    "二コマ": "2 コマ",
    "元コマ": "元フレーム",
    "溜め": "タメ",
    "歩容": "歩法",
    "セル画調": "セルルック",
    "較正": "キャリブレーション",
    "キャプチャー": "キャプチャ",
    "女の子": "少女",
    "台詞": "セリフ",
    "内蔵": "付属",
    "基準姿勢": "レストポーズ",
    "揺れ物": "揺れもの",
    "手放す": "破棄",
    "録画": "記録",
    "全て": "すべて",
    "根本": "根元",
    "基本姿勢": "レストポーズ",
    "静止姿勢": "レストポーズ",
    "骨の列": "ボーンチェーン",
    "行き過ぎ": "オーバーシュート",
    "動きの翻訳": "動作変換",
    "かつら": "全房同位相",
    "氏名": "担当",
    "一コマ": "1 コマ",
    "三コマ": "3 コマ",
    " 骨の": "ボーンの",
    "、骨の": "ボーンの",
    "移す先": "リターゲット先",
    "基準ポーズ": "レストポーズ",
    "動きの大きさ": "変化量",
    "ブラウザー": "ブラウザ",
    "パラメーター": "パラメータ",
    "フィルター": "フィルタ",
    "絵の数": "枚数",
    "Tポーズ": "T ポーズ",
    "ビューアー": "ビューア",
    "バッファー": "バッファ",
    "フォルダー": "フォルダ",
    "動きの曲線": "モーションカーブ",
    "四つ": "4 つ",
    "八歩": "8 歩",
}
"""Phrase -> what the glossary says instead."""


def written() -> Iterator[tuple[str, str]]:
    """Every page of the documentation, with its place."""
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "blender").rglob("*.md")]):
        if path.name not in NOT_OURS and "decisions" not in path.parts:
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def docstrings() -> Iterator[tuple[str, str]]:
    """The docstrings of modules and of public classes and functions."""
    for path in sorted((ROOT / "src" / "komadori").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                name = getattr(node, "name", "")
                text = ast.get_docstring(node)
                if text and not name.startswith("_"):
                    yield f"{path.relative_to(ROOT).as_posix()} {name}", text


@cache
def in_code() -> tuple[tuple[str, str], ...]:
    """Every docstring (without its examples) and comment of the project's Python, with its place."""
    found = []
    for folder in ("src", "bench", "tests", "blender", "docs", "examples"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path == Path(__file__) or "node_modules" in path.parts:
                continue
            text, place = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
            for node in ast.walk(ast.parse(text)):
                for line in body if isinstance(body := getattr(node, "body", None), list) else ():
                    match line:
                        case ast.Expr(value=ast.Constant(value=str(words))):
                            found.append((f"{place}:{line.lineno}", " ".join(words.partition(">>>")[0].split())))
            found += [
                (f"{place}:{token.start[0]}", token.string)
                for token in tokenize.generate_tokens(io.StringIO(text).readline)
                if token.type == tokenize.COMMENT
            ]
    return tuple(found)


COMMENT = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?://[^\n]*|/\*.*?\*/)""", re.S)
"""A string of TypeScript, which the first group holds and in which no comment begins, or a comment."""


def comments(text: str) -> Iterator[tuple[int, str]]:
    """The comments of a TypeScript file with their lines; neighbours that belong together as one."""
    last = -1
    lines: list[str] = []
    begin = 0
    for found in COMMENT.finditer(text):
        if found[1] is None:
            at = text.count("\n", 0, found.start()) + 1
            words = " ".join(re.sub(r"^[/* ]+|[*/ ]+$", "", line) for line in found[0].splitlines())
            if lines and (at != last + 1 or not found[0].startswith("//")):
                yield begin, " ".join(lines)
                lines = []
            if not lines:
                begin = at
            lines.append(words)
            last = at + found[0].count("\n")
    if lines:
        yield begin, " ".join(lines)


@cache
def in_typescript() -> tuple[tuple[str, str], ...]:
    """Every comment of the studio's page, with its place."""
    web = ROOT / "src" / "komadori" / "studio" / "web"
    return tuple(
        (f"{path.relative_to(ROOT).as_posix()}:{line}", words)
        for folder in ("src", "test")
        for path in sorted((web / folder).rglob("*.ts"))
        for line, words in comments(path.read_text(encoding="utf-8"))
    )


def on_the_page() -> Iterator[tuple[str, str]]:
    """The texts that the studio's page asks the catalogue for."""
    for path in sorted((ROOT / "src" / "komadori" / "studio" / "web" / "src").rglob("*.ts")):
        if path.name != "generated.ts":
            for text in re.findall(r"""\bt\(\s*"((?:[^"\\]|\\.)*)\"""", path.read_text(encoding="utf-8")):
                yield path.relative_to(ROOT).as_posix(), text


def texts() -> Iterator[tuple[str, str]]:
    """Every text that people read, with its place."""
    yield from written()
    yield from docstrings()
    yield from on_the_page()
    for english, japanese in JAPANESE.items():
        yield f"message {english[:60]!r}", english
        yield f"message {english[:60]!r} in Japanese", japanese


def test_all_kinds_of_text_are_found() -> None:
    assert len(list(written())) > 50
    assert len(list(docstrings())) > 1000
    assert len(in_code()) > 8000
    assert len(in_typescript()) > 400
    assert len(list(on_the_page())) > 50


def test_comments_of_typescript_are_told_from_strings() -> None:
    text = "const a = \"// no\"; // yes,\n// and on\nconst b = `/* no */ ${a}`;\n\n/** A\n * block. */\nf('//');\n"
    assert list(comments(text)) == [(1, "yes, and on"), (5, "A block.")]


def test_pages_keep_to_the_glossary() -> None:
    wrong = [
        f"{place}: {found[0]!r} (say: {instead})"
        for place, text in written()
        if not BY_PROGRAM & set(place.split("/"))
        for phrase, instead in PAGES.items()
        for found in re.finditer(phrase, text, re.I)
    ]
    assert not wrong, "\n".join(wrong)


def test_docstrings_and_comments_keep_to_the_glossary() -> None:
    wrong = [
        f"{place}: {found[0]!r} (say: {instead})"
        for phrase, instead in CODE.items()
        for pattern in [re.compile(phrase)]
        for place, text in (*in_code(), *in_typescript())
        for found in pattern.finditer(text)
    ]
    assert not wrong, "\n".join(wrong)


def test_messages_keep_to_the_glossary() -> None:
    wrong = [
        f"{english!r}: {found[0]!r} (say: {instead})"
        for english in JAPANESE
        for phrase, instead in MESSAGES.items()
        for found in re.finditer(phrase, english, re.I)
    ]
    assert not wrong, "\n".join(wrong)


def test_english_keeps_to_the_glossary() -> None:
    wrong = [
        f"{place}: {found[0]!r} (say: {instead})"
        for place, text in texts()
        for phrase, instead in ENGLISH.items()
        for found in re.finditer(phrase, text, re.I)
    ]
    assert not wrong, "\n".join(wrong)


def test_japanese_is_punctuated_as_japanese() -> None:
    """A full-width colon after Japanese, the wave dash of ranges, and a space between a number and its counter."""
    wrong = [
        f"{place}: {found[0]!r}"
        for place, text in texts()
        if place.endswith("in Japanese") or "/ja/" in place or place.endswith(".ja.md")
        for found in re.finditer(r"[ぁ-んァ-ヶー一-龠）」]: ?(?![/:])|～|(?<![.\w])\d+[つ枚個本]", text)
    ]
    assert not wrong, "\n".join(wrong)


def test_japanese_keeps_to_the_glossary() -> None:
    wrong = [
        f"{place}: {phrase} (say: {instead})"
        for place, text in texts()
        for phrase, instead in JAPANESE_WORDS.items()
        if phrase in text
    ]
    assert not wrong, "\n".join(wrong)
