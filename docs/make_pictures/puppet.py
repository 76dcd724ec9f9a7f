"""Writes the pictures of docs/puppet.md from the examples: `python docs/make_pictures/puppet.py`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from komadori import Motion, Puppet, load
from komadori.methods.puppet import mapped, parsed, walking
from komadori.quat import Array
from komadori.render.body import body_of, camera_of, drawn
from komadori.render.drawing import Circle, Drawing, Item, Line, Polyline, Rect, Text, save
from komadori.render.figures import motion_gif, strip

ROOT = Path(__file__).parents[2]
EXAMPLES, PICTURES = ROOT / "examples" / "puppet", ROOT / "docs" / "pictures"
YELLOW, PINK, GROUND, LABEL, INK = "#f0c808", "#d6498f", "#b8c0c9", "#4a5460", "#22272e"


def main() -> None:
    """Make them all."""
    juggling, path = performance("juggling")
    save(with_handle(juggling, path, [0, 3, 7, 11, 15, 19, 23, 27], width=120.0), PICTURES / "puppet-juggling.png")
    motion_gif([juggling.perform(path)], PICTURES / "puppet-juggling.gif", view="front")
    kick, path = performance("kick")
    save(strip(kick.perform(path), [0, 11, 17, 22, 26, 28, 30, 32, 36, 42, 50, 60]), PICTURES / "puppet-kick.png")
    dance, path = performance("dance")
    save(strip(dance.perform(path), range(0, 116, 9), view="front"), PICTURES / "puppet-dance.png")
    walk = walking(load(EXAMPLES / "walk.json", kind="puppet"), 1.2, 2.0)
    save(strip(walk, range(0, 25, 2), view="side"), PICTURES / "puppet-walk.png")
    save(need_map(kick), PICTURES / "puppet-map.png")


def performance(name: str) -> tuple[Puppet, Array]:
    """A puppet of the examples and its handle's path, one position per frame."""
    script = EXAMPLES / f"{name}.txt"
    take = parsed(script.read_text(encoding="utf-8"), script.name).take(fps=24.0)
    return load(EXAMPLES / f"{name}.json", kind="puppet"), take.sampled(24.0)


def with_handle(puppet: Puppet, path: Array, frames: Sequence[int], width: float) -> Drawing:
    """Figures from the front, with the keys' places (yellow) and the handle (pink, and the way it came)."""
    motion: Motion = puppet.perform(path)
    world = motion.world_positions()
    camera, body = camera_of(motion.skeleton, world[0], "front"), body_of(motion.skeleton, world[0])
    keys = camera.seen(np.stack([key.position for key in puppet.keys]))
    scale, floor, height = 95.0, 235.0, 262.0
    items: list[Item] = [Rect(0, 0, width * len(frames), height, fill="#ffffff")]
    items.append(Line(4, floor + 6, width * len(frames) - 4, floor + 6, GROUND, 1.5))
    for number, frame in enumerate(frames):
        middle = (number + 0.5) * width
        items += drawn(body, motion.skeleton, camera.seen(world[frame]), (middle, floor), scale, 1.0)
        seen = camera.seen(path[max(0, frame - 6) : frame + 1])
        way = tuple((middle + x * scale, floor - y * scale) for x, y, *_ in seen.tolist())
        if len(way) > 1:
            items.append(Polyline(way, PINK, 1.5))
        items += [Circle(middle + x * scale, floor - y * scale, 3.5, YELLOW, INK, 0.6) for x, y, *_ in keys.tolist()]
        items.append(Circle(*way[-1], 6.0, PINK, INK, 0.8))
        items.append(Text(middle, height - 7, str(frame), 12.0, LABEL, "middle"))
    return Drawing(width * len(frames), height, tuple(items), "a puppet and its handle")


def need_map(puppet: Puppet) -> Drawing:
    """Seen from the side: how little the keys agree (darker), the keys, and where one more would help most."""
    across, up = np.meshgrid(np.linspace(-0.9, 0.95, 64), np.linspace(-0.1, 1.45, 54))
    places = np.stack([np.full(across.size, -0.08), up.ravel(), across.ravel()], axis=1)
    found = mapped(puppet, places)
    need = found.need / found.need.max()
    scale, left, floor = 200.0, 200.0, 320.0
    cell = scale * float(across[0, 1] - across[0, 0]) + 0.4
    items: list[Item] = [Rect(0, 0, 410, 360, fill="#ffffff")]
    for (_, y, z), share in zip(places.tolist(), need.tolist(), strict=True):
        shade = round(255 - 120 * max(0.0, min(1.0, share)))
        items.append(Rect(left + z * scale, floor - y * scale, cell, cell, fill=f"#{shade:02x}{shade:02x}ff"))
    for key in puppet.keys:
        _, y, z = key.position.tolist()
        items.append(Circle(left + z * scale, floor - y * scale, 5.0, YELLOW, INK, 0.8))
        items.append(Text(left + z * scale + 9, floor - y * scale + 4, key.name, 11.0))
    _, y, z = found.best.tolist()
    items.append(Circle(left + z * scale, floor - y * scale, 7.0, None, PINK, 2.0))
    items.append(Text(left + z * scale + 11, floor - y * scale + 4, "one more key here", 11.0, PINK))
    return Drawing(410, 360, tuple(items), "where a key would help")


if __name__ == "__main__":
    main()
