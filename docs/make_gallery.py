"""Writes docs/gallery.md and docs/ja/gallery.md: films and stills, each with a command to try and the program that made it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parent


@dataclass(frozen=True)
class Entry:
    """One picture of the gallery."""

    picture: str
    """File in docs/pictures."""
    program: str
    """Program in docs/make_pictures that wrote it."""
    command: str
    """What a reader runs to get such a motion from what is built in."""
    page: str
    """Page that explains it."""
    english: str
    japanese: str


ENTRIES = (
    Entry("pitch.gif", "limited.py", "komadori limited sample:pitch -o pitch.bvh --sheet pitch.xdts", "limited.md",
          "The built-in pitch: captured, and as limited animation.", "付属の投球。収録した動きとリミテッドアニメーション。"),
    Entry("anime-poster.png", "anime.py", "komadori anime -o out", "anime.md",
          "The drawings of the pitch on the built-in girl, in the look `tv`.", "付属の少女による投球の絵。ルックは `tv`。"),
    Entry("anime-snappy.png", "anime.py", "komadori anime sample:kick --character girl --look snappy -o kick", "anime.md",
          "The built-in kick in the look `snappy`.", "付属のキック。ルックは `snappy`。"),
    Entry("pitch-exaggerated.png", "limited.py", "komadori exaggerate sample:pitch -o bold.bvh", "limited.md",
          "The pitch with anticipation and overshoot.", "予備動作（タメ）とオーバーシュートを付けた投球。"),
    Entry("keyposes-slow-walk.png", "keyposes.py", "komadori keyposes sample:slow-walk -o keys.bvh --time-weight 0.5", "keyposes.md",
          "Key poses of a slow walk followed by a pitch, without and with `time_weight`.", "遅い歩きと投球のキーポーズ。`time_weight` なしとあり。"),
    Entry("hair-presets.png", "hair.py", "komadori hair girl --preset stream -o girl.glb", "hair.md",
          "The five hair presets, six drawings each.", "髪の 5 つのプリセット。各 6 枚。"),
    Entry("hair-horse.png", "hair.py", "komadori hair horse --preset gust -o horse.glb", "hair.md",
          "A horse's tail and mane, moved by the same wave.", "同じ波で動く馬の尻尾とたてがみ。"),
    Entry("puppet-juggling.gif", "puppet.py", "komadori puppet demo -o walk.bvh", "puppet.md",
          "A puppet with five keys juggles. The command makes a walk from four.", "5 つのキーでジャグリングするパペット。コマンドは 4 つのキーから歩きを作ります。"),
    Entry("puppet-walk.png", "puppet.py", "komadori puppet demo -o walk.bvh", "puppet.md",
          "A walk from four poses, without foot slip.", "4 つのポーズから作った、足の滑らない歩き。"),
    Entry("translate-horse.gif", "translate.py", "komadori quadruped sample:walk --animal horse -o acted.glb", "translate.md",
          "A person's walk drives the built-in horse.", "人の歩きで動く付属の馬。"),
    Entry("retarget-girl.png", "retarget.py", "komadori retarget sample:kick --to girl -o kick.glb", "retarget.md",
          "The built-in kick, retargeted to the girl.", "付属のキックを少女にリターゲットしたもの。"),
    Entry("render-styles.png", "render.py", "komadori render sample:kick --character girl --style line -o line.png", "render.md",
          "The styles `toon`, `line` and `clay`.", "描画スタイル `toon`、`line`、`clay`。"),
    Entry("characters-all.png", "characters.py", "komadori retarget sample:walk --to mannequin -o mannequin.glb", "characters.md",
          "The built-in characters.", "付属のキャラクター。"),
    Entry("blender-pitch.gif", "blender.py", "make blender-extension", "blender.md",
          "The pitch in Blender, made limited by the extension. The command builds the extension.",
          "Blender のエクステンションでリミテッド化した投球。コマンドはエクステンションを作ります。"),
)  # fmt: skip
TEXT = {
    "en": (
        "# Gallery",
        "[日本語](ja/gallery.md)",
        "Every picture here was made by komadori. Run the command below a picture to get such a motion from what is built in; the program "
        "that drew the picture itself is named beside it.",
        "[How it works]({page}) · drawn by `docs/make_pictures/{program}`",
    ),
    "ja": (
        "# ギャラリー",
        "[English](../gallery.md)",
        "ここにある絵とムービーはすべて komadori で作りました。下のコマンドを実行すると、付属のモーションとキャラクターから同じような動きを作れます。"
        "絵そのものを描いたプログラムも示します。",
        "[解説]({page}) · 作成：`docs/make_pictures/{program}`",
    ),
}


def page_of(language: str) -> str:
    """The page in a language."""
    heading, other, about, source = TEXT[language]
    folder = "pictures" if language == "en" else "../pictures"
    parts = [heading, other, about]
    for entry in ENTRIES:
        caption = entry.english if language == "en" else entry.japanese
        parts += [
            f"![{caption.replace('`', '')}]({folder}/{entry.picture})",
            caption,
            f"```sh\n{entry.command}\n```",
            source.format(page=entry.page, program=entry.program),
        ]
    return "\n\n".join(parts) + "\n"


def pages() -> dict[Path, str]:
    """Both pages by their path."""
    return {DOCS / "gallery.md": page_of("en"), DOCS / "ja" / "gallery.md": page_of("ja")}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
