"""Drawing: what the rasteriser covers, what is nearest, what a drawing looks like, and when it is held."""

from __future__ import annotations

import gc
import hashlib
import weakref
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_outline import covered

from komadori.camera import Camera
from komadori.character import Character, Material, Mesh
from komadori.characters import character, humanoid, sample
from komadori.errors import FormatError, OptionError
from komadori.formats import load_character
from komadori.methods.limited import limited
from komadori.methods.retarget import retarget
from komadori.motion import Motion
from komadori.quat import Array
from komadori.render import ground, ink, raster
from komadori.render.guessed import coloured
from komadori.render.shot import CAMERAS, Shot, drawings_of, shot_of
from komadori.render.stand_in import stand_in
from komadori.skeleton import Skeleton

from realdata import real

coordinate = st.floats(-3.0, 19.0, allow_nan=False, width=32)
corner = st.tuples(coordinate, coordinate)


def inside(triangle: Array, x: float, y: float) -> bool:
    """Whether a point lies clearly inside, by the signs of three areas."""
    sides = [
        (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])
        for a, b in zip(triangle, np.roll(triangle, -1, axis=0), strict=True)
    ]
    return min(sides) > 1e-6 or max(sides) < -1e-6


def laid_out(triangles: Array) -> Array:
    """(T, 3, 2) triangles as the rasteriser has them."""
    return np.ascontiguousarray(np.moveaxis(triangles, 0, -1).swapaxes(0, 1))


@given(st.tuples(corner, corner, corner))
@settings(deadline=None, max_examples=60)
def test_a_triangle_covers_the_pixels_whose_centres_it_holds(points: tuple[tuple[float, float], ...]) -> None:
    triangle = np.array(points)
    (ax, ay), (bx, by) = triangle[1] - triangle[0], triangle[2] - triangle[0]
    if abs(ax * by - ay * bx) < 1e-3:
        return
    got = covered(laid_out(triangle[None]), 16, 16)
    for y in range(16):
        for x in range(16):
            near_edge = not inside(triangle, x + 0.5, y + 0.5) and got[y, x]
            assert got[y, x] or not inside(triangle, x + 0.5, y + 0.5)
            if near_edge:
                # Only a centre that lies on an edge may be counted in.
                grown = triangle.mean(axis=0) + (triangle - triangle.mean(axis=0)) * 1.001
                wide = triangle.mean(axis=0) + (grown - triangle.mean(axis=0)) * 1.02
                assert inside(wide, x + 0.5, y + 0.5)


@given(st.lists(corner, min_size=3, max_size=12), st.integers(0, 3))
@settings(deadline=None, max_examples=60)
def test_neighbours_share_no_pixel_and_leave_none_out(rim: list[tuple[float, float]], turn: int) -> None:
    # A fan around a middle, its rim in order of angle: together it is one area, and every pixel belongs to one triangle.
    middle = np.array([8.0 + 0.25 * turn, 8.0])
    points = np.array(sorted(rim, key=lambda p: float(np.arctan2(p[1] - middle[1], p[0] - middle[0]))))
    fan = np.array([[middle, a, b] for a, b in zip(points, np.roll(points, -1, axis=0), strict=True)])
    signs = raster.area_of(laid_out(fan))
    if (signs < 1e-3).any():
        return
    rows = raster.rows_of(laid_out(fan), np.arange(len(fan)), 16, 16)
    owner, x = raster.pixels_of(rows)
    spots = rows.y[owner] * 16 + x
    assert len(np.unique(spots)) == len(spots)
    ring = covered(laid_out(fan), 16, 16)
    for y in range(16):
        for px in range(16):
            if any(inside(triangle, px + 0.5, y + 0.5) for triangle in fan):
                assert ring[y, px]


def test_the_nearest_triangle_wins_in_any_order() -> None:
    flat = np.array([[0.0, 0.0], [16.0, 0.0], [0.0, 16.0]])
    # Two triangles that cut through each other: the winner changes at x = 4.
    depths = np.array([[0.5, 0.5, 0.5], [0.6, 0.2, 0.6]])
    for order in ([0, 1], [1, 0]):
        corners = np.concatenate([laid_out(np.stack([flat, flat])), depths[order].T[None]])
        keys = np.zeros((16, 16), dtype=np.int64)
        raster.nearest(corners, raster.planes_of(corners, corners[2]), np.arange(2), keys)
        won = np.array([*order, -1])[raster.numbers_of(keys)]
        assert (won[2, :4] == 1).all()
        assert (won[2, 4:13] == 0).all()
        assert won[15, 15] == -1
        np.testing.assert_allclose(raster.depth_of(keys)[2, 8], 2.0, rtol=1e-6)
        assert np.isinf(raster.depth_of(keys)[15, 15])


def test_the_view_agrees_with_the_camera() -> None:
    camera = Camera(np.array([2.0, 1.5, 3.0]), np.array([0.1, 0.9, 0.0]), fov_deg=33.0)
    points = np.random.default_rng(1).normal(size=(50, 3))
    x, y, near = raster.view_of(camera, 640, 360).seen(points)
    image = camera.projected(points[None])[0]
    np.testing.assert_allclose(x, 320.0 + 180.0 * image[:, 0])
    np.testing.assert_allclose(y, 180.0 - 180.0 * image[:, 1])
    np.testing.assert_allclose(1.0 / near, -camera.seen(points[None])[0, :, 2])
    behind = raster.view_of(camera, 640, 360).seen(np.array([[4.0, 2.0, 6.0]]))
    assert behind[2, 0] == 0.0


def quad(colour: tuple[float, float, float], z: float, **more: object) -> tuple[Mesh, Material]:
    vertices = np.array([[-0.5, 0.0, z], [0.5, 0.0, z], [0.5, 1.0, z], [-0.5, 1.0, z]])
    uvs = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    normals = np.tile([0.0, 0.0, 1.0], (4, 1))
    mesh = Mesh(
        "quad", vertices, normals, np.array([[0, 1, 2], [0, 2, 3]]), np.zeros((4, 1), int), np.ones((4, 1)), uvs
    )
    return mesh, Material("flat", (*colour, 1.0), **more)


def board(*quads: tuple[Mesh, Material], images: tuple[object, ...] = ()) -> Character:
    skeleton = Skeleton(("root",), [-1], np.zeros((1, 3)))
    meshes = tuple(replace(mesh, material=n) for n, (mesh, _) in enumerate(quads))
    return Character("board", skeleton, meshes, tuple(m for _, m in quads), images)


FRONT = Camera(np.array([0.0, 0.5, 3.0]), np.array([0.0, 0.5, 0.0]), fov_deg=30.0)


def still(body: Character, camera: Camera = FRONT, **options: object) -> Shot:
    motion = Motion(body.skeleton, 24.0, np.tile([0.0, 0.0, 0.0, 1.0], (2, 1, 1)), np.zeros((2, 1, 3)))
    return shot_of(motion, body, camera=camera, size=(96, 64), **options)


def test_light_and_shade_have_the_materials_two_tones() -> None:
    mesh, material = quad((1.0, 0.5, 0.0), 0.0, shade=(0.0, 0.25, 0.5))
    lit = still(board((mesh, material))).picture(0)
    assert lit[32, 48].tolist() == [255, 128, 0]
    turned = replace(mesh, normals=-mesh.normals)
    assert still(board((turned, material))).picture(0)[32, 48].tolist() == [0, 64, 128]


def test_a_back_is_seen_only_where_the_material_is_two_sided() -> None:
    mesh, material = quad((1.0, 0.5, 0.0), 0.0)
    back = Camera(np.array([0.0, 0.5, -3.0]), np.array([0.0, 0.5, 0.0]), fov_deg=30.0)
    one, both = (still(board((mesh, replace(material, two_sided=t))), back).picture(0) for t in (False, True))
    assert one[20, 48].tolist() == list(ground.PAPER)
    assert both[20, 48, 0] == 255


def test_ink_runs_around_the_shape_and_leaves_its_inside() -> None:
    body = board(quad((1.0, 1.0, 1.0), 0.0, outline=(1.0, 0.0, 0.0, 1.0)))
    drawn, clay = still(body).picture(0), still(body, style="clay").picture(0)
    reds = (drawn[..., 0] > drawn[..., 1].astype(int) + 60).sum(axis=0)
    assert reds[10] == 0
    assert reds[48] >= 1
    assert drawn[32, 48].tolist() == [255, 255, 255]
    assert not (clay[..., 0] > clay[..., 1].astype(int) + 60).any()


def ink_px(picture: np.ndarray) -> int:
    """How wide the red line above a white board is: the sum of its reds, in pixels."""
    column = picture[:, 48].astype(int)
    return int(np.clip(column[:, 0] - column[:, 1], 0, 255).sum())


def test_a_material_with_a_wider_line_has_a_wider_line() -> None:
    red = (1.0, 0.0, 0.0, 1.0)
    camera = Camera(np.array([0.0, 0.5, 30.0]), np.array([0.0, 0.5, 0.0]), fov_deg=3.0)
    # The width that counts is over that of the others: a thin, a usual and a wide one.
    drawn = []
    for width in (0.001, 0.002, 0.004):
        other = quad((1.0, 1.0, 1.0), -5.0, outline=red, outline_m=0.002)
        small = replace(other[0], vertices=other[0].vertices * 0.2 + [0.0, 0.4, 0.0])
        body = board(quad((1.0, 1.0, 1.0), 0.0, outline=red, outline_m=width), (small, other[1]), (small, other[1]))
        motion = Motion(body.skeleton, 24.0, np.tile([0.0, 0.0, 0.0, 1.0], (1, 1, 1)), np.zeros((1, 1, 3)))
        drawn.append(ink_px(shot_of(motion, body, camera=camera, size=(96, 960)).picture(0)))
    assert drawn[0] < drawn[1] < drawn[2]
    np.testing.assert_array_equal(ink.widths_of((Material("a"), Material("b", outline=red))), [1.0, 1.0])


def test_a_line_needs_a_step_in_depth_not_a_slope() -> None:
    """Two materials that meet along an edge, one of them steep, have no line between them; apart they have one."""
    red = (1.0, 0.0, 0.0, 1.0)
    flat = quad((1.0, 1.0, 1.0), 0.0, outline=red)
    steep = replace(flat[0], vertices=np.array([[0.5, 0, 0], [0.8, 0, -0.6], [0.8, 1, -0.6], [0.5, 1, 0]], dtype=float))
    for away, inked in ((0.0, False), (0.1, True)):
        moved = replace(steep, vertices=steep.vertices - [0.0, 0.0, away])
        seen = still(board(flat, (moved, replace(flat[1], two_sided=True)))).picture(0)[32].astype(int)
        edge = round(48 + 0.5 * 64 / (2 * 3 * np.tan(np.radians(15.0))))
        assert bool((seen[edge - 2 : edge + 3, 0] - seen[edge - 2 : edge + 3, 1]).max() > 60) is inked


@pytest.mark.parametrize("style", ["toon", "line", "clay"])
def test_half_clear_pictures_let_what_is_behind_shine_through(style: str) -> None:
    import io

    from PIL import Image as pillow

    from komadori.character import Image

    file = io.BytesIO()
    pillow.fromarray(np.full((4, 4, 4), (255, 0, 0, 128), dtype=np.uint8)).save(file, "PNG")
    image = Image("veil", "image/png", file.getvalue())
    wall = quad((0.0, 0.0, 1.0), -0.001, outline=(0.0, 0.0, 0.0, 1.0))
    veil = quad((1.0, 1.0, 1.0), 0.0, image=0, alpha="blend", outline=None)
    both = still(board(wall, veil, images=(image,)), style=style).picture(0)
    alone = still(board(wall), style=style).picture(0)
    if style == "toon":
        np.testing.assert_allclose(both[32, 48], [128, 0, 127], atol=1)
        # Over nothing the paper shines through.
        np.testing.assert_allclose(
            still(board(veil, images=(image,))).picture(0)[12, 48], np.mean([ground.PAPER, (255, 0, 0)], axis=0), atol=2
        )
        return
    np.testing.assert_allclose(both[32, 48].astype(int), alone[32, 48], atol=2)


def test_what_is_painted_on_is_ink_where_lines_alone_are_drawn() -> None:
    import io

    from PIL import Image as pillow

    from komadori.character import Image

    pixels = np.full((8, 8, 3), (255, 220, 200), dtype=np.uint8)
    pixels[:, 4:] = (40, 20, 20)
    file = io.BytesIO()
    pillow.fromarray(pixels).save(file, "PNG")
    painted = board(quad((1.0, 1.0, 1.0), 0.0, image=0), images=(Image("eye", "image/png", file.getvalue()),))
    seen = still(painted, style="line").picture(0)
    assert seen[32, 40].min() > 240
    assert seen[32, 56].max() < 60


def test_a_texture_lies_the_right_way_up_and_its_holes_are_open() -> None:
    import io

    from PIL import Image as pillow

    from komadori.character import Image

    # Red and green above, blue and a hole below.
    pixels = np.array([[[255, 0, 0, 255], [0, 255, 0, 255]], [[0, 0, 255, 255], [9, 9, 9, 0]]], dtype=np.uint8)
    file = io.BytesIO()
    pillow.fromarray(pixels).save(file, "PNG")
    image = Image("four", "image/png", file.getvalue())
    seen = still(board(quad((1.0, 1.0, 1.0), 0.0, image=0, alpha="mask"), images=(image,))).picture(0)
    assert seen[22, 40].tolist() == [255, 0, 0]
    assert seen[22, 56].tolist() == [0, 255, 0]
    assert seen[42, 40].tolist() == [0, 0, 255]
    assert np.abs(seen[42, 56].astype(int) - ground.PAPER).max() < 80
    assert still(board(quad((1, 1, 1), 0.0, image=0), images=(image,))).picture(0)[42, 56].tolist() == [9, 9, 9]
    broken = Image("broken", "image/png", b"no picture")
    with pytest.raises(FormatError, match="broken: not a valid picture"):
        still(board(quad((1, 1, 1), 0.0, image=0), images=(broken,)))


@pytest.mark.parametrize("size", [(640, 360), (160, 480)])
@pytest.mark.parametrize("camera", CAMERAS)
def test_the_whole_action_is_in_the_picture(camera: str, size: tuple[int, int]) -> None:
    shot = shot_of(sample("kick"), camera=camera, size=size)
    places = shot.skin.posed(shot.motion)[0]
    for frame in range(0, len(shot), 7):
        x, y, near = raster.view_of(shot.camera.at(frame), *shot.size).seen(places[frame])
        assert near.min() > 0.0
        assert 0.0 < x.min() < x.max() < shot.size[0]
        assert 0.0 < y.min() < y.max() < shot.size[1]
    # One way or the other the body, or its way through the picture, takes most of it.
    seen = np.stack([raster.view_of(shot.camera.at(f), *size).seen(p)[:2] for f, p in enumerate(places)])
    assert max(np.ptp(seen, axis=(0, 2)) / size) > 0.8


def test_a_held_drawing_is_one_picture_and_the_camera_moves_on() -> None:
    result = limited(sample("kick"))
    shot = shot_of(result.motion, size=(64, 48))
    shown = list(shot.pictures())
    assert len(shown) == len(shot) == len(result.motion)
    for run in result.sheet.runs():
        assert len({id(shown[f]) for f in range(run.start, run.start + run.length)}) == 1
    assert len({id(picture) for picture in shown}) == len(shot.sheet.runs())
    moving = shot_of(result.motion, camera="follow", size=(64, 48))
    assert moving.camera.frames == len(moving)
    held = next(run for run in moving.sheet.runs() if run.length > 1 and run.start > 20)
    one, two = moving.picture(held.start), moving.picture(held.start + held.length - 1)
    assert not np.array_equal(one, two)
    shown = list(moving.pictures())
    assert len(shown) == len(moving)
    np.testing.assert_array_equal(shown[held.start], one)
    np.testing.assert_array_equal(shown[held.start + held.length - 1], two)


def test_equal_poses_are_one_drawing() -> None:
    clip = sample("walk").taken([0, 0, 5, 5, 0])
    assert drawings_of(clip).source.tolist() == [0, 0, 2, 2, 0]
    assert drawings_of(sample("walk")).source.tolist() == list(range(len(sample("walk"))))


def test_pictures_are_the_same_every_time() -> None:
    shot = shot_of(retarget(sample("pitch"), character("girl")).motion[60:64], character("girl"), size=(96, 64))
    sums = [hashlib.sha256(b"".join(p.tobytes() for p in shot.pictures())).hexdigest() for _ in range(2)]
    assert sums[0] == sums[1]
    np.testing.assert_array_equal(list(shot.pictures())[2], shot.picture(2))


def test_drawings_before_shine_through() -> None:
    clip = sample("kick")
    plain, ghosts = (shot_of(clip, size=(160, 90), onion=n) for n in (0, 3))
    np.testing.assert_array_equal(plain.picture(0), ghosts.picture(0))
    assert (plain.picture(40) != ghosts.picture(40)).any(axis=-1).sum() > 20


def test_the_stand_in_is_closed_and_as_tall_as_the_body() -> None:
    body = stand_in(humanoid())
    for mesh in body.meshes:
        a, b, c = (mesh.vertices[mesh.triangles[:, n]] for n in range(3))
        outward = np.einsum("ti,ti->t", np.cross(b - a, c - a), mesh.normals[mesh.triangles].mean(axis=1))
        assert (outward > -1e-12).all()
    places = np.concatenate([mesh.vertices for mesh in body.meshes])
    assert 1.5 < np.ptp(places[:, 1]) < 1.9


def test_the_shadow_lies_on_the_ground_away_from_the_light() -> None:
    shot = shot_of(sample("kick"), size=(320, 180), camera="front")
    pictured = shot.picture(0).astype(int)
    dark = (np.abs(pictured - ground.SHADOW).max(axis=-1) < 3).nonzero()
    assert len(dark[0]) > 100
    # The light stands at the upper left: the shadow falls to the right and behind.
    body = raster.view_of(shot.camera, *shot.size).seen(shot.skin.posed(shot.motion.pose(0))[0][0])
    assert dark[1].mean() > body[0].mean()


def test_wrong_wishes_are_refused() -> None:
    clip = sample("kick")
    for wish, told in (
        (
            {"camera": "below"},
            "camera: expected one of front, three-quarter, side, follow, or a camera's file, found 'bel",
        ),
        ({"style": "oil"}, "style: expected one of toon, line, clay, found 'oil'"),
        ({"size": (4, 90)}, "16 to 4096"),
        ({"onion": 99}, "0 to 12"),
        (
            {"camera": Camera(np.zeros((3, 3)) + 5.0, np.zeros(3))},
            r"camera: expected as many frames as the motion has \(91\), found 3",
        ),
    ):
        with pytest.raises(OptionError, match=told):
            shot_of(clip, **wish)
    with pytest.raises(OptionError, match="motion: the motion has no frames"):
        shot_of(clip[:0])
    with pytest.raises(
        OptionError, match="character: expected a character with a surface that can be drawn, found 'bare'"
    ):
        shot_of(clip, Character("bare", clip.skeleton))
    with pytest.raises(OptionError, match="retarget"):
        shot_of(clip, character("horse"))


@pytest.mark.parametrize("path", ["character_vrm/Godette_vrm_v4.vrm", "character_mmd/Gene/Gene.pmx"])
def test_real_characters_are_drawn(path: str) -> None:
    body = load_character(real(path))
    drawn = shot_of(body.rest, body, camera="front", size=(160, 90)).picture(0)
    body_px = (np.abs(drawn.astype(int) - ground.PAPER).max(axis=-1) > 40).sum()
    assert 0.05 < body_px / (160 * 90) < 0.5


def test_a_camera_that_follows_goes_smoothly_and_keeps_its_height() -> None:
    """The hips of a walk sway and jolt; the camera goes along without either, and never turns."""
    walk = retarget(sample("walk"), character("girl")).motion
    shot = shot_of(walk, character("girl"), camera="follow", size=(64, 48))
    hips = walk.world_positions()[:, walk.skeleton.roles["hips"]]
    way = shot.camera.position
    jolts = [np.abs(np.diff(path[:, [0, 2]], n=3, axis=0)).max() for path in (hips, way)]
    assert jolts[1] < 0.1 * jolts[0]
    assert np.ptp(way[:, 1]) < 1e-9
    np.testing.assert_allclose(shot.camera.axes, np.broadcast_to(shot.camera.axes[0], (len(walk), 3, 3)), atol=1e-9)
    # It goes as far as she does, and she stays in the middle.
    beside = (hips - way) @ shot.camera.axes[0].T
    assert np.ptp(beside[:, 0]) < 0.25


def test_a_body_whose_pictures_are_missing_is_coloured_by_the_names_of_its_parts() -> None:
    names = ("顔", "髪", "目", "頬赤", "Shirt", "thing")
    white = [(mesh, replace(material, name=name)) for name in names for mesh, material in [quad((1.0, 1.0, 1.0), 0.0)]]
    face, hair, eye, blush, shirt, thing = coloured(board(*white))
    assert face.colour[0] > face.colour[2] > 0.7
    assert max(eye.colour[:3]) < 0.4
    assert eye.outline is None
    assert blush.colour[3] == 0.0
    assert len({m.colour for m in (face, hair, eye, shirt, thing)}) == 5
    assert thing == white[-1][1]
    # What says for itself what it looks like is left as it is; the others are white all the same.
    for change in ({"colour": (1.0, 0.0, 0.0, 1.0)}, {"image": 0}):
        shirt_of_its_own = replace(white[4][1], **change)
        told = board(*white[:4], (white[4][0], shirt_of_its_own), white[5])
        assert coloured(told)[4] == shirt_of_its_own
        assert coloured(told)[:4] == (face, hair, eye, blush)
    # Most models of MikuMikuDance have a toon, which says how the shade looks; it is the shade of a white body.
    shaded = [(mesh, replace(material, shade=(0.8, 0.8, 0.8))) for mesh, material in white]
    assert coloured(board(*shaded))[:5] == (face, hair, eye, replace(blush, shade=(0.8, 0.8, 0.8)), shirt)


def test_a_body_that_is_meant_to_be_white_stays_so() -> None:
    plain = quad((0.95, 0.95, 0.95), 0.0)
    for names in (("case", "lid", "wheel", "cover"), ("left hand", "right hand", "hand joint")):
        robot = board(*((plain[0], replace(plain[1], name=name)) for name in names))
        assert coloured(robot) == robot.materials
    # Mostly coloured, with a white shirt, hair and skin.
    red = quad((0.8, 0.1, 0.1), 0.0)
    mixed = [(red[0], replace(red[1], name=f"part {n}")) for n in range(4)]
    mixed += [(plain[0], replace(plain[1], name=name)) for name in ("shirt", "hair", "skin")]
    assert coloured(board(*mixed)) == board(*mixed).materials


def test_gene_without_her_pictures_has_a_face() -> None:
    body = load_character(real("character_mmd/Gene/Gene.pmx"))
    drawn = shot_of(body.rest, body, camera="front", size=(600, 600)).picture(0).astype(int)
    eye = np.abs(drawn - [0x3D, 0x33, 0x50]).max(axis=-1) < 6
    assert 60 < eye.sum() < 1000
    assert np.ptp(np.nonzero(eye)[1]) > 15


def test_the_ground_has_a_line_at_every_metre_and_none_above_the_horizon() -> None:
    camera = Camera(np.array([0.3, 2.0, 4.0]), np.array([0.0, 0.5, 0.0]), fov_deg=50.0)
    view = raster.view_of(camera, 480, 300)
    drawn = ground.paper(view, 0.0).astype(int)
    dark = (drawn - ground.PAPER).sum(axis=-1) < -10
    for place in ([1.0, 0.0, 0.5], [0.5, 0.0, -1.0], [-1.0, 0.0, 1.0]):
        x, y, _ = view.seen(np.array([place]))[:, 0]
        assert dark[int(y), int(x)]
    for place in ([0.5, 0.0, 0.5], [1.5, 0.0, -0.5]):
        x, y, _ = view.seen(np.array([place]))[:, 0]
        assert not dark[int(y), int(x)]
    up = Camera(np.array([0.0, 1.0, 0.0]), np.array([0.0, 9.0, 4.0]), fov_deg=40.0)
    assert (ground.paper(raster.view_of(up, 64, 48), 0.0) == ground.PAPER).all()
    level = Camera(np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0, 4.0]), fov_deg=60.0)
    half = ground.paper(raster.view_of(level, 64, 48), 0.0)
    assert (half[:24] == ground.PAPER).all()
    assert (half[24:] != ground.PAPER).any()
    # Seen from below, and from a camera that rolls, it is there as well.
    rolled = Camera(np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.6, 4.0]), np.array([1.0, 0.2, 0.0]), fov_deg=60.0)
    assert (ground.paper(raster.view_of(rolled, 64, 48), 0.0) != ground.PAPER).any()


def test_a_large_drawing_is_the_same_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    shot = shot_of(sample("kick"), size=(160, 120), camera="follow")
    whole = shot.picture(30)
    monkeypatch.setattr(raster, "TOGETHER", 700)
    np.testing.assert_array_equal(shot.picture(30), whole)


def test_a_character_that_was_drawn_is_gone_when_nobody_holds_it() -> None:
    body = board(quad((1.0, 0.5, 0.0), 0.0))
    still(body).picture(0)
    gone = weakref.ref(body)
    del body
    gc.collect()
    assert gone() is None
