"""The report: one self-contained page for reviewing an animation."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from importlib import resources

import numpy as np

from komadori.feet import Slip
from komadori.methods.limited import LimitedResult
from komadori.pipeline import PipelineResult
from komadori.registry import Row
from komadori.render import svg
from komadori.render.charts import steps_chart
from komadori.render.drawing import Drawing
from komadori.words import Fact, Note, told, translated

MOST_PAGES = 3
"""Pages of the timesheet shown in the report; the PDF has them all."""

MOST_EMBEDDED = 64_000_000
"""Largest film, in bytes, that is embedded in the page: browsers struggle with more, and the file is next to it anyway."""


WEBM = b"\x1a\x45\xdf\xa3"
"""How a WebM begins."""


def page(
    result: PipelineResult,
    title: str,
    files: Sequence[str],
    sheet: Sequence[Drawing],
    video: bytes | None,
    picture: bytes | None,
    language: str,
) -> str:
    """The page's whole text. `files` lie beside it, `sheet` are the printed pages, `video` an MP4 or WebM, `picture` a PNG."""

    def say(note: Note) -> str:
        return escape(note.in_language(language))

    recipe = result.recipe
    video = video if video is not None and len(video) <= MOST_EMBEDDED else None
    parts = [
        f"<header><h1>{escape(title)}</h1><p class=look>{say(Note('look: {name}', name=recipe.name or '-'))}</p>"
        f"<p class=about>{escape(translated(recipe.about, language))}</p></header>",
        _film(title, video, picture, say(Note("captured on the left, the result on the right"))),
        _tiles(result, language),
    ]
    if video and picture:
        parts.append(_section(say(Note("the drawings")), _picture(picture, title), "poster"))
    parts.append(_section(say(Note("exposures")), _exposures(result, language), "exposures"))
    if isinstance(result.timing, LimitedResult):
        chart = steps_chart(result.timing, title=title, language=language)
        parts.append(_section(say(Note("timing")), f"<div class=chart>{_inline(chart)}</div>", "timing"))
    pages = "".join(f"<div class=page>{_inline(each)}</div>" for each in sheet[:MOST_PAGES])
    if len(sheet) > MOST_PAGES:
        rest = Note("{count:more page is|more pages are} in the PDF", count=len(sheet) - MOST_PAGES)
        pages += f"<p>{say(rest)}</p>"
    parts.append(
        f"<div class=below>{_section(say(Note('timesheet')), f'<div class=pages>{pages}</div>', 'sheet')}<div>"
    )
    notes = "".join(f"<li>{say(note)}</li>" for note in (_on_feet(), *result.notes))
    parts.append(_section(say(Note("notes")), f"<ul>{notes}</ul>", "notes"))
    parts.append(_section(say(Note("recipe")), f"<pre>{escape(recipe.toml())}</pre>", "recipe"))
    links = "".join(f'<li><a href="{escape(_address(name))}">{escape(name)}</a></li>' for name in files)
    parts.append(_section(say(Note("files")), f"<ul class=files>{links}</ul>", "files") + "</div></div>")
    style = resources.files("komadori").joinpath("anime", "report.css").read_text(encoding="utf-8")
    # The page may not load anything from anywhere: everything that it shows is inside it.
    policy = "default-src 'none'; img-src data:; media-src data:; style-src 'unsafe-inline'"
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(parts)
        + "\n</main>\n<footer>komadori</footer>\n</body>\n</html>\n"
    )


def numbers(result: PipelineResult) -> list[Row]:
    """What a director asks first, as label and value: how much is drawn, the summary of each step, how far feet slip."""
    sheet = result.sheet
    rows: list[Row] = [
        (Note("the drawings"), Note("{drawings} for {frames} frames", drawings=result.drawings, frames=len(sheet))),
        (
            Note("average exposure"),
            Note("{exposures:.2f} frames", exposures=len(sheet) / max(1, len(sheet.runs()))),
        ),
    ]
    # A step that runs twice (the floor) reports the same rows twice; the later ones count.
    rows += dict(row for made in result.steps for row in made.rows).items()
    rows.append((Note("foot slip as captured"), _slip(result.slip_before)))
    rows.append((Note("foot slip now"), _slip(result.slip_after)))
    return rows


def _slip(slip: Slip) -> Note:
    if not slip.steps:
        return Note("no foot is planted")
    return Note(
        "{mean:.2f} cm per frame on average, {worst:.2f} at most",
        mean=100.0 * slip.per_frame,
        worst=100.0 * slip.largest,
    )


def _on_feet() -> Note:
    return Fact(
        "Foot slip is how far a planted foot moves over the ground from one frame to the next. A held drawing does not slip; all of its movement happens in the step to the next drawing."
    )


def _tiles(result: PipelineResult, language: str) -> str:
    rows = (
        f"<div><dt>{escape(told(label, language))}</dt><dd>{escape(told(value, language))}</dd></div>"
        for label, value in numbers(result)
    )
    return f"<dl class=tiles>{''.join(rows)}</dl>"


def _exposures(result: PipelineResult, language: str) -> str:
    """A bar cut by how many frames are shown on ones, twos, threes ..."""
    lengths, counts = np.unique(result.sheet.exposures, return_counts=True)
    parts, legend = [], []
    for place, (length, count) in enumerate(zip(lengths.tolist(), counts.tolist(), strict=True)):
        share = 100.0 * count / max(1, len(result.sheet))
        parts.append(f'<span class="e{min(place, 4)}" style="width:{share:.2f}%"></span>')
        words = Note("on {length}s: {share:.0f} % of the frames", length=length, share=share)
        legend.append(f'<li class="e{min(place, 4)}">{escape(words.in_language(language))}</li>')
    return f"<div class=bar>{''.join(parts)}</div><ul class=legend>{''.join(legend)}</ul>"


def _film(title: str, video: bytes | None, picture: bytes | None, caption: str) -> str:
    if video is None:
        return f"<figure>{_picture(picture, title)}</figure>" if picture else ""
    kind = "webm" if video.startswith(WEBM) else "mp4"
    source = f"data:video/{kind};base64,{base64.b64encode(video).decode('ascii')}"
    return (
        f'<figure class=film><video src="{source}" controls loop muted autoplay playsinline></video>'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _picture(picture: bytes, title: str) -> str:
    source = f"data:image/png;base64,{base64.b64encode(picture).decode('ascii')}"
    return f'<img src="{source}" alt="{escape(title)}">'


def _inline(drawing: Drawing) -> str:
    return svg.encoded(drawing).decode("utf-8")


def _section(heading: str, body: str, kind: str) -> str:
    return f"<section class={kind}><h2>{heading}</h2>{body}</section>"


def _address(name: str) -> str:
    """A file's name as a link to it."""
    from urllib.parse import quote

    return "./" + quote(name)
