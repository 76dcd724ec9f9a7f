"""The renderer's loops, written to be compiled (`komadori.fast`): they give what the NumPy code beside them gives, bit for bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def filled(
    corners: Any,
    chosen: Any,
    near_x: Any,
    near_y: Any,
    near_start: Any,
    most: float,
    keys: Any,
) -> None:
    """`raster.nearest`, with planes counted in steps, into `keys` (H, W)."""
    height, width = keys.shape
    for n in range(chosen.shape[0]):
        t = chosen[n]
        x0, x1, x2 = corners[0, 0, t], corners[0, 1, t], corners[0, 2, t]
        y0, y1, y2 = corners[1, 0, t], corners[1, 1, t], corners[1, 2, t]
        if y0 > y1:
            x0, y0, x1, y1 = x1, y1, x0, y0
        if y1 > y2:
            x1, y1, x2, y2 = x2, y2, x1, y1
        if y0 > y1:
            x0, y0, x1, y1 = x1, y1, x0, y0
        right_most, left_most = max(x0, x1, x2), min(x0, x1, x2)
        if not (right_most > 0.0 and left_most < width and math.ceil(right_most - 0.5) > left_most - 0.5):
            continue
        if not (max(right_most, y2) < 1e6 and min(left_most, y0) > -1e6):
            continue
        first = min(max(math.ceil(y0 - 0.5), 0), height)
        turn = min(max(math.ceil(y1 - 0.5), 0), height)
        last = min(max(math.ceil(y2 - 0.5), 0), height)
        if last <= first:
            continue
        upper = (x1 - x0) / (y1 - y0 if y1 > y0 else 1.0)
        lower = (x2 - x1) / (y2 - y1 if y2 > y1 else 1.0)
        long = (x2 - x0) / (y2 - y0 if y2 > y0 else 1.0)
        upper_start, lower_start = x0 - upper * (y0 - 0.5) - 0.5, x1 - lower * (y1 - 0.5) - 0.5
        long_start = x0 - long * (y0 - 0.5) - 0.5
        bulge = (x1 - x0) * (y2 - y0) > (x2 - x0) * (y1 - y0)
        slope = near_x[t]
        for row in range(first, last):
            one = upper * row + upper_start if row < turn else lower * row + lower_start
            two = long * row + long_start
            left = min(max(math.ceil(two if bulge else one), 0), width)
            right = min(max(math.ceil(one if bulge else two), 0), width)
            if left < right:
                start = row * width
                base = near_y[t] * (row + 0.5) + near_start[t] + slope * (0.5 - start)
                for x in range(left, right):
                    step = min(max(slope * (start + x) + base, 1.0), most)
                    key = int(step) << 21 | (t + 1)
                    if key > keys[row, x]:
                        keys[row, x] = key


def coloured(
    keys: Any,
    table: Any,
    kinds: Any,
    lit_x: Any,
    lit_y: Any,
    lit_start: Any,
    terminator: float,
    dark: Any,
    flat: Any,
    close: Any,
) -> None:
    """`_Surface.drawn`: `table` and `dark` (n + 1,) are the colours in light and in shadow, `kinds` 0 where a triangle has the first
    all over, 1 where the edge of a shadow crosses it, 2 where it is looked at closely: those pixels come in `close[1:]`,
    their number in `close[0]`."""
    height, width = keys.shape
    count = 0
    for row in range(height):
        for x in range(width):
            own = keys[row, x] & 0x1FFFFF
            colour = table[own]
            if kinds[own] == 1:
                t = own - 1
                if not lit_x[t] * (x + 0.5) + lit_y[t] * (row + 0.5) + lit_start[t] > terminator:
                    colour = dark[own]
            elif kinds[own] == 2:
                count += 1
                close[count] = row * width + x
            flat[row * width + x] = colour
    close[0] = count


def stepped(
    keys: Any,
    least: Any,
    sudden: Any,
    scale: Any,
    steps: float,
    near_x: Any,
    near_y: Any,
    near_start: Any,
    materials: Any,
    outlined: Any,
    border: float,
    fold: float,
    focal: float,
    found: Any,
) -> None:
    """`ink._steps`: fronts and ways in `found` (2, n), first those along rows, then those along columns; how many in its last
    place."""
    height, width = keys.shape
    count = 0
    for down in range(2):
        across = 1 - down
        for row in range(height - down):
            for x in range(width - across):
                here_key, next_key = keys[row, x], keys[row + down, x + across]
                # A triangle has no step in itself, nor has nothing.
                if (here_key ^ next_key) & 0x1FFFFF == 0:
                    continue
                near, far = np.float32(here_key) * scale, np.float32(next_key) * scale
                size = abs(far - near)
                if not size > least:
                    continue
                place = row if down else x
                if 0 < place < (height if down else width) - 2:
                    before = abs(near - np.float32(keys[row - down, x - across]) * scale)
                    after = abs(np.float32(keys[row + 2 * down, x + 2 * across]) * scale - far)
                    if not size > sudden * min(before, after):
                        continue
                ahead = keys[row, x] > keys[row + down, x + across]
                front_y, front_x = (row, x) if ahead else (row + down, x + across)
                behind_y, behind_x = (row + down, x + across) if ahead else (row, x)
                one, two = keys[front_y, front_x], keys[behind_y, behind_x]
                if two != 0:
                    a, b = (one & 0x1FFFFF) - 1, (two & 0x1FFFFF) - 1
                    limit = border if materials[a] != materials[b] and outlined[materials[a]] else fold
                    ahead_m, here_m = steps / float(one >> 21), steps / float(two >> 21)
                    if not here_m - ahead_m > limit:
                        continue
                    onward = near_x[a] * (behind_x + 0.5) + near_y[a] * (behind_y + 0.5) + near_start[a]
                    back = near_x[b] * (front_x + 0.5) + near_y[b] * (front_y + 0.5) + near_start[b]
                    onward, back = 1.0 / max(onward, 1e-9), 1.0 / max(back, 1e-9)
                    if not min(abs(here_m - onward), abs(back - ahead_m)) > max(limit, here_m / focal):
                        continue
                found[0, count] = front_y * width + front_x
                found[1, count] = (behind_y - front_y) * width + behind_x - front_x
                count += 1
    found[0, found.shape[1] - 1] = count


def dotted(
    keys: Any,
    fronts: Any,
    ways: Any,
    front: Any,
    folds: Any,
    radii: Any,
    materials: Any,
    steps: float,
    fold: float,
    border: float,
    colours: Any,
    foremost: Any,
    flat: Any,
) -> None:
    """The dots of `ink.drawn`, for `fronts` (n,) in any order; `foremost` (H * W,) is 0 before and after."""
    every = keys.reshape(-1)
    height, width = keys.shape
    for painting in range(2):
        for n in range(fronts.shape[0]):
            radius = radii[n]
            reach = math.floor(radius)
            y, x = fronts[n] // width, fronts[n] % width
            along_row = abs(ways[n]) == 1
            sign = 1 if ways[n] > 0 else -1
            ahead = steps / float(keys[y, x] >> 21)
            for aside in range(-reach, reach + 1):
                for beyond in range(1, reach + 1):
                    if beyond * beyond + aside * aside > radius * radius:
                        break
                    py, px = (y + aside, x + sign * beyond) if along_row else (y + sign * beyond, x + aside)
                    if not (0 <= px < width and 0 <= py < height):
                        continue
                    spot = py * width + px
                    if painting == 0:
                        # The nearest stays where dots meet.
                        other = foremost[spot]
                        if other == 0 or keys[y, x] >> 21 >= every[fronts[other - 1]] >> 21:
                            foremost[spot] = n + 1
                    elif foremost[spot] == n + 1:
                        foremost[spot] = 0
                        key = keys[py, px]
                        same = key != 0 and materials[(key & 0x1FFFFF) - 1] == front[n]
                        if same != folds[n]:
                            continue
                        if key == 0 or steps / float(key >> 21) - ahead > (fold if folds[n] else border):
                            flat[spot] = colours[front[n]]


def reduced(fine: Any, result: Any) -> None:
    """`cel.reduced` of packed `fine` (2 h, 2 w) into `result` (h, w, 4)."""
    for row in range(result.shape[0]):
        for x in range(result.shape[1]):
            a, b = fine[2 * row, 2 * x], fine[2 * row, 2 * x + 1]
            c, d = fine[2 * row + 1, 2 * x], fine[2 * row + 1, 2 * x + 1]
            if a == b and a == c and a == d:
                for channel in range(4):
                    result[row, x, channel] = a >> (8 * channel) & 255
            else:
                for channel in range(4):
                    shift = 8 * channel
                    total = (a >> shift & 255) + (b >> shift & 255) + (c >> shift & 255) + (d >> shift & 255)
                    result[row, x, channel] = (total + 2) >> 2


def laid(part: Any, below: Any) -> None:
    """`Cel.over`: premultiplied `part` (h, w, 4) on `below` (h, w, 3 or 4)."""
    for row in range(part.shape[0]):
        for x in range(part.shape[1]):
            opacity = int(part[row, x, 3])
            if opacity == 255:
                for channel in range(below.shape[2]):
                    below[row, x, channel] = part[row, x, channel]
            elif opacity:
                for channel in range(below.shape[2]):
                    under = (int(below[row, x, channel]) * (255 - opacity) + 127) // 255
                    below[row, x, channel] = int(part[row, x, channel]) + under
