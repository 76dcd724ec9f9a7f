"""MToon's shadow, soft edge, rim and outline, drawn by us and by three-vrm in a real browser: the same picture."""

from __future__ import annotations

import functools
import http.server
import importlib.util
import io
import json
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from komadori.camera import Camera
from komadori.character import Character, Material, Mesh, Toon
from komadori.render.raster import view_of
from komadori.render.toon import FINER, light_of, painter_of
from komadori.skeleton import Skeleton
from komadori.studio import figures

if TYPE_CHECKING:
    from playwright.sync_api import Playwright

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS / "studio"))
JUDGES = Path(os.environ.get("KOMADORI_JUDGES") or TESTS.parent / ".judges")
CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
READY = (
    CHROMIUM is not None
    and importlib.util.find_spec("playwright") is not None
    and (JUDGES / "node_modules" / "@pixiv" / "three-vrm").is_dir()
)
WIDTH, HEIGHT, FOV = 640, 160, 20.0
CAMERA = Camera(np.array([0.0, 0.0, 7.0]), np.zeros(3), fov_deg=FOV)
TOONS = (
    Toon(0.0, 0.95),
    Toon(-0.4, 0.95),
    Toon(0.3, 0.95),
    Toon(0.0, 0.5),
    Toon(-0.2, 0.95, (0.1, 0.6, 0.9), 3.0, 0.1, 0.0),
)


def ball(place: float, material: int, rows: int = 48) -> Mesh:
    """A ball of radius 0.5 at x = `place`."""
    down, around = np.meshgrid(np.linspace(0.0, np.pi, rows), np.linspace(0.0, 2.0 * np.pi, 2 * rows), indexing="ij")
    normals = np.stack([np.sin(down) * np.cos(around), np.cos(down), np.sin(down) * np.sin(around)], axis=-1)
    corner = np.arange(rows * 2 * rows).reshape(rows, 2 * rows)
    a, b, c, d = corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]
    triangles = np.concatenate([np.stack(t, axis=-1).reshape(-1, 3) for t in ((a, c, b), (a, d, c))])
    flat = normals.reshape(-1, 3)
    joints, weights = np.zeros((len(flat), 1), np.int64), np.ones((len(flat), 1))
    return Mesh(f"ball {material}", 0.5 * flat + [place, 0.0, 0.0], flat, triangles, joints, weights, material=material)


def balls(outline_m: float = 0.0) -> Character:
    """Five balls in a row, one for each of TOONS."""
    materials = tuple(
        Material(
            f"m{n}",
            (0.9, 0.75, 0.6, 1.0),
            shade=(0.45, 0.3, 0.4),
            outline=(0.2, 0.05, 0.1, 1.0) if outline_m else None,
            outline_m=outline_m,
            toon=toon,
        )
        for n, toon in enumerate(TOONS)
    )
    meshes = tuple(ball(1.1 * (n - 2), n) for n in range(len(TOONS)))
    return Character("balls", Skeleton(("root",), np.array([-1]), np.zeros((1, 3))), meshes, materials)


def ours(character: Character) -> NDArray[np.float64]:
    """Our picture, without ink."""
    painter = replace(painter_of(character), pen=None)
    vertices = np.concatenate([mesh.vertices for mesh in character.meshes])
    normals = np.concatenate([mesh.normals for mesh in character.meshes])
    cel = painter.cel(vertices, normals, view_of(CAMERA, FINER * WIDTH, FINER * HEIGHT), light_of(CAMERA))
    assert cel is not None
    picture = np.full((HEIGHT, WIDTH, 3), 255, dtype=np.uint8)
    cel.over(picture)
    return picture.astype(np.float64)


@pytest.fixture
def three(tmp_path: Path, playwright: Playwright) -> Iterator[object]:
    """Draws a character with three-vrm: gives its picture."""
    from PIL import Image

    from browser import SOFTWARE_GL

    (tmp_path / "node_modules").symlink_to(JUDGES / "node_modules")
    shutil.copy(TESTS / "judges" / "mtoon.html", tmp_path / "index.html")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words: object) -> None:
            """Nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def drawn(character: Character) -> NDArray[np.float64]:
        (tmp_path / "figure.glb").write_bytes(figures.figure(character))
        light = light_of(CAMERA)
        asked = {"width": WIDTH, "height": HEIGHT, "fov": FOV, "light": (10.0 * light).tolist()}
        asked |= {"position": CAMERA.position.tolist(), "target": CAMERA.target.tolist()}
        (tmp_path / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SOFTWARE_GL)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/index.html")
        page.wait_for_function("document.title === 'drawn'", timeout=60_000)
        shot = page.screenshot()
        browser.close()
        assert not faults
        return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), dtype=np.float64)

    yield drawn
    server.shutdown()
    server.server_close()


def inner(n: int) -> tuple[slice, slice]:
    """The part of the picture in which ball `n` is, edges aside."""
    scale = HEIGHT / (2.0 * np.tan(np.radians(FOV) / 2.0) * 7.0)
    x, reach = WIDTH / 2 + 1.1 * (n - 2) * scale, 0.5 * scale
    return slice(int(HEIGHT / 2 - 0.6 * reach), int(HEIGHT / 2 + 0.6 * reach)), slice(
        int(x - 0.6 * reach), int(x + 0.6 * reach)
    )


@pytest.mark.skipif(not READY, reason="no browser, or no three-vrm (make judges)")
def test_three_vrm_draws_the_same(three: object) -> None:
    assert callable(three)
    bare = balls()
    # The studio's figures have an ink line of their own; there is none on what can be seen through.
    clear = replace(
        bare, materials=tuple(replace(m, alpha="blend", colour=(*m.colour[:3], 1.0)) for m in bare.materials)
    )
    mine, theirs = ours(bare), three(clear)
    if os.environ.get("KOMADORI_KEEP"):
        from PIL import Image

        both = np.concatenate([mine, theirs]).astype(np.uint8)
        Image.fromarray(both).save(Path(os.environ["KOMADORI_KEEP"]) / "mtoon.png")
    for n in range(len(TOONS)):
        away = np.abs(mine[inner(n)] - theirs[inner(n)]).mean()
        assert away < 4.0, (n, away)
        # Other settings give another picture: the comparison sees them.
        other = np.abs(mine[inner(n)] - theirs[inner((n + 1) % len(TOONS))]).mean()
        assert other > 3.0 * away, (n, away, other)


def test_a_shift_moves_the_edge_of_the_shadow() -> None:
    picture = ours(balls())
    lit = [(picture[inner(n)][..., 0] > 220.0).mean() for n in range(3)]
    assert lit[1] < lit[0] - 0.1 < lit[2] - 0.2
    soft = len(np.unique(picture[inner(3)].reshape(-1, 3), axis=0))
    assert soft > 20 > len(np.unique(picture[inner(0)].reshape(-1, 3)[::7], axis=0))


def test_the_studio_gets_shift_toony_rim_and_outline() -> None:
    """What the page's three-vrm is told is what the file said."""
    glb = figures.figure(balls(0.004))
    length = int.from_bytes(glb[12:16], "little")
    materials = json.loads(glb[20 : 20 + length])["materials"]
    for entry, toon in zip(materials, TOONS, strict=True):
        told = entry["extensions"][figures.EXTENSION]
        assert (told["shadingShiftFactor"], told["shadingToonyFactor"]) == (toon.shift, toon.toony)
        assert told["parametricRimFresnelPowerFactor"] == toon.rim_power
        assert told["outlineWidthFactor"] == pytest.approx(0.004)
        assert told["outlineColorFactor"][0] == pytest.approx(0.0331, abs=1e-3)
