"""Japanese for every note, help line, label and error: English template -> Japanese template, one dict from a file per area."""

from __future__ import annotations

from komadori.words_ja import (
    blender,
    errors,
    exchange,
    general,
    labels,
    library,
    live,
    mmd,
    option_errors,
    project,
    purposes,
    sheets,
    shell,
    smpl,
    studio,
)

JAPANESE: dict[str, str] = {
    **general.JAPANESE,
    **errors.JAPANESE,
    **labels.JAPANESE,
    **option_errors.JAPANESE,
    **project.JAPANESE,
    **library.JAPANESE,
    **live.JAPANESE,
    **sheets.JAPANESE,
    **shell.JAPANESE,
    **smpl.JAPANESE,
    **mmd.JAPANESE,
    **blender.JAPANESE,
    **exchange.JAPANESE,
    **studio.JAPANESE,
    **purposes.JAPANESE,
}
