"""Files of MikuMikuDance: a model by its first bytes, and a motion on the model that lies beside it."""

from __future__ import annotations

from pathlib import Path

from komadori.character import Character
from komadori.files import read_bytes
from komadori.formats.format import refuse
from komadori.formats.mmd import body, pmd, pmx, vmd, vpd
from komadori.formats.mmd.model import Model
from komadori.motion import Motion
from komadori.words import Fact

_MODELS = (".pmx", ".pmd")


def read_model(path: Path) -> Model:
    """The model in the PMX or PMD file at `path`, in its own numbers."""
    data = read_bytes(path)
    # The first bytes tell; some models have the wrong suffix.
    parse = pmd.parse if data.startswith(pmd.MAGIC) else pmx.parse
    return parse(data, str(path))


def read_character(path: Path) -> Character:
    """The character in the PMX or PMD file at `path`, with the pictures that lie beside it."""
    return body.character(read_model(path), path.parent)


def read_file(path: Path, unit: str | None, clip: str | None) -> Motion:
    """Like `read_motion`: the unit is 8 cm, and there is one motion."""
    refuse(path, unit=unit, clip=clip)
    return read_motion(path)


def read_motion(path: Path) -> Motion:
    """The motion or pose in the VMD or VPD file at `path`, on the one model beside it or in the folder above.

    If there is no model, or several, a standard skeleton is taken, and a note says so. A model's own file gives its
    rest pose.
    """
    if path.suffix.lower() in _MODELS:
        skeleton = body.skeleton(read_model(path))
        rest = Motion(skeleton, vmd.FPS, skeleton.rest[None], skeleton.offsets[None])
        return rest.noted(Fact("The file holds a model without a motion; read one frame of its rest pose."))
    data, is_pose = read_bytes(path), path.suffix.lower() == ".vpd"
    document = vpd.parse(data, str(path)) if is_pose else vmd.parse(data, str(path))
    found = model_beside(path)
    if found is None:
        return document.motion()
    return document.motion(read_model(found)).noted(Fact("Played on the model {name}.", name=found.name))


def model_beside(path: Path) -> Path | None:
    """The only PMX or PMD file in the folder of `path`, else the only one in the folder above; None if none is alone."""
    folder = path.absolute().parent
    for place in (folder, folder.parent):
        try:
            models = [one for one in place.iterdir() if one.suffix.lower() in _MODELS and one.is_file()]
        except OSError:
            continue
        if models:
            return models[0] if len(models) == 1 else None
    return None
