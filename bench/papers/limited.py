"""Kitamura and others 2013: limited animation."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import komadori
from bench.limited import PAPER
from bench.papers import limited_model, statements
from bench.papers.claims import Claim, Measured, Paper, Words
from bench.papers.limited_model import CLIPS, GREEDY, clip, paper
from komadori import Motion
from komadori.character import Character
from komadori.characters import character
from komadori.methods.limited import LimitedResult
from komadori.methods.limited.greedy import Limits, Omission, with_holds, with_omissions
from komadori.numerics.steps import consecutive_steps, squared_steps
from komadori.skinning import skin_of

TWENTY = (
    "02_01", "07_01", "07_02", "07_04", "07_05", "07_12", "08_01", "08_04", "08_07", "08_11",
    "10_01", "124_01", "124_07", "135_04", "35_01", "35_22", "49_06", "74_03", "85_01", "144_05",
)  # fmt: skip


def _cut(motion: Motion, frames: int) -> Motion:
    """`frames` frames around the fastest moment."""
    steps = consecutive_steps(motion.world_positions().reshape(len(motion), -1))
    begin = int(np.clip(int(steps.argmax()) - 2 * frames // 3, 0, max(0, len(motion) - frames)))
    return motion[begin : begin + frames]


def _table1(data: Path) -> Measured:
    """Whole clips with a third of their frames held, then cut to the paper's lengths with the paper's counts."""
    rows, done = [], 0
    for cut in (False, True):
        for name, frames, omit, hold, paper_ms in PAPER:
            source = clip(data, CLIPS[name])
            if cut and len(source) == frames:
                continue
            motion = _cut(source, frames) if cut else source
            asked = hold if len(motion) == frames else len(motion) // 3
            paper(motion, omit, asked)
            begin = time.process_time()
            result = paper(motion, omit, asked)
            spent = 1000.0 * (time.process_time() - begin)
            done += result.omitted == omit and result.held == asked
            rows.append(
                (
                    name,
                    f"{CLIPS[name]}{f', {frames} / {len(source)}' if cut else ''}",
                    str(len(motion)),
                    str(result.omitted),
                    str(result.held),
                    f"{frames}, {omit}, {hold}, {paper_ms} ms",
                    f"{spent:.1f} ms",
                )
            )
    columns = (
        Words("paper's row", "論文の行"), Words("clip (cut to, of)", "クリップ（切り出し／全体）"), Words("frames", "フレーム"),
        Words("omitted", "中無し"), Words("held", "コマ撮り"), Words("paper: frames, omitted, held, time", "論文：フレーム、中無し、コマ撮り、時間"),
        Words("time here (processor)", "ここでの時間（CPU）"),
    )  # fmt: skip
    found = Words(
        "{done} of {count} runs reach the omissions and holds asked for; whole clips first, then the same cut to the paper's lengths",
        "{count} 回中 {done} 回で、求めた中無しとコマ撮りの数に達しました。表の上は元の尺のまま、下は論文の尺に切り出した結果です",
    )
    return Measured(found, {"done": done, "count": len(rows)}, done == len(rows), columns, tuple(rows))


WAYS: tuple[Omission, ...] = ("iterative", "at-once", "centred")


@cache
def _ways(data: Path) -> dict[str, dict[Omission, LimitedResult]]:
    """Every clip with four omissions, each way."""
    return {
        name: {way: komadori.limited(clip(data, name), omit=4, hold=0, omission=way, **GREEDY) for way in WAYS}
        for name in TWENTY
    }


def _gaps(data: Path) -> Measured:
    """How many holes the omitted frames make."""
    one, more, most = 0, 0, 0
    for made in _ways(data).values():
        single, other = (1 + int(np.count_nonzero(np.diff(made[way].omitted_frames) > 1)) for way in WAYS[:2])
        one += single == 1
        more += other > single
        most = max(most, other)
    return Measured(
        Words(
            "one by one the four omitted frames make a single hole in {one} of {count} clips; at once they make more holes in {more}, up to {most}",
            "1 枚ずつでは、抜いた 4 フレームは {count} 本中 {one} 本で 1 か所に連なります。一度に抜くと {more} 本でそれより多くの場所（最大 {most} か所）に分かれます",
        ),
        {"one": one, "more": more, "most": most, "count": len(TWENTY)},
        one == len(TWENTY) and more > len(TWENTY) // 2,
    )


def _figure3(data: Path) -> Measured:
    rows, larger, equal, centred = [], 0, 0, 0
    for name in TWENTY:
        made = _ways(data)[name]
        one, other, both = (float(made[way].steps_after.max()) for way in WAYS)
        same = abs(one - other) <= 1e-9 * other
        larger += one > other and not same
        equal += same
        centred += both >= max(one, other) * (1.0 - 1e-9)
        runs = [1 + int(np.count_nonzero(np.diff(made[way].omitted_frames) > 1)) for way in WAYS[:2]]
        rows.append((name, f"{one:.2f}", f"{other:.2f}", f"{both:.2f}", *map(str, runs)))
    found = Words(
        "the largest leap with 4 omissions is larger one by one in {larger} of {count} clips, equal in {equal}, larger at once in {rest};"
        ' `omission="centred"`, which lets the gap grow to both sides, has the largest of the three in {centred}',
        "中無し 4 枚での最大の変化量は、{count} 本中 {larger} 本で 1 枚ずつの方が、{rest} 本で一括の方が大きく、{equal} 本で同じでした。"
        '穴を両側へ広げる `omission="centred"` は {centred} 本で 3 つのうち最大です',
    )
    columns = (
        Words("clip", "クリップ"), Words("one by one, m²", "1 枚ずつ（m²）"), Words("at once, m²", "一括（m²）"),
        Words("centred, m²", "両側へ（m²）"), Words("gaps one by one", "穴の数（1 枚ずつ）"), Words("gaps at once", "穴の数（一括）"),
    )  # fmt: skip
    values = {
        "larger": larger,
        "equal": equal,
        "count": len(TWENTY),
        "rest": len(TWENTY) - larger - equal,
        "centred": centred,
    }
    return Measured(found, values, larger == len(TWENTY), columns, tuple(rows))


def _stalled(points: np.ndarray, source: np.ndarray, hold: int) -> tuple[int, int]:
    """Algorithm 2 with nothing added: drawings it takes away in `hold` rounds, and rounds that change nothing."""
    shown, copied, wasted = source.copy(), np.zeros(len(source), dtype=int), 0
    for _ in range(hold):
        steps = np.where(copied[:-1] < 3, squared_steps(points, shown[:-1], shown[1:]), np.inf)
        k = 1 + int(steps.argmin())
        wasted += int(shown[k] == shown[k - 1])
        copied[k - 1] += 1
        shown[k] = shown[k - 1]
    return int(np.count_nonzero(np.diff(source))) - int(np.count_nonzero(np.diff(shown))), wasted


def _algorithm2(data: Path) -> Measured:
    rows, share = [], []
    for name, frames, omit, hold, _ in PAPER:
        source = clip(data, CLIPS[name])
        motion = source if len(source) == frames else _cut(source, frames)
        ours = paper(motion, omit, hold)
        literal = komadori.limited(motion, omit=omit, hold=hold, solver="literal", peaks=False)
        fewer, wasted = _stalled(ours.points, ours.before_holds.source, hold)
        apart = int(np.count_nonzero(ours.sheet.source != literal.sheet.source))
        share.append(apart / len(motion))
        rows.append(
            (name, str(hold), str(fewer), str(wasted), str(literal.held), str(ours.held), f"{apart} / {len(motion)}")
        )
    columns = (
        Words("paper's row", "論文の行"), Words("rounds", "回数"), Words("drawings fewer, as printed", "減った絵（印刷どおり）"),
        Words("rounds that change nothing", "何も変えない回"), Words("drawings fewer, `literal`", "減った絵（`literal`）"),
        Words("drawings fewer, `greedy`", "減った絵（`greedy`）"), Words("frames in which `literal` and `greedy` differ", "`literal` と `greedy` で違うコマ"),
    )  # fmt: skip
    found = Words(
        "`literal` and `greedy` show another drawing in up to {worst:.0f} % of the frames",
        "`literal` と `greedy` では、最大 {worst:.0f} % のコマで絵が異なります",
    )
    return Measured(found, {"worst": 100 * max(share)}, max(share) == 0.0, columns, tuple(rows))


def _deformed(data: Path) -> Measured:
    """Clips put onto the girl, exaggerated with squash and stretch: how far her body changes, and her skin's volume."""
    girl, rows, worst = character("girl"), [], 0.0
    skin = skin_of(girl)
    for name in ("124_01", "135_04", "49_06", "85_01"):
        before = komadori.retarget(clip(data, name), girl).motion
        after = komadori.exaggerate(before, amount=0.0, squash=1.0).motion
        assert after.stretch is not None
        frames = np.unique([0, after.stretch.along.argmin(), after.stretch.along.argmax()])
        sizes = [_volume(girl, skin.posed(motion.taken(frames))[0]) for motion in (before, after)]
        change = 100.0 * float(np.abs(sizes[1] / sizes[0] - 1.0).max())
        worst = max(worst, change)
        low, high = 100.0 * after.stretch.along.min(), 100.0 * after.stretch.along.max()
        with TemporaryDirectory() as folder:
            path = Path(folder) / "squash.glb"
            komadori.save(girl, path, motions={"squash": after})
            read = komadori.load(path, kind="character")
            away = skin_of(read).posed(read.motions["squash"].taken(frames))[0] - skin.posed(after.taken(frames))[0]
        apart = 1000.0 * float(np.abs(away).max())
        rows.append((name, f"{low:.0f} %", f"{high:.0f} %", f"{change:.1e} %", f"{apart:.3f} mm"))
    columns = (
        Words("clip", "クリップ"), Words("lowest, of its height", "最も低いとき（元の高さ比）"), Words("tallest", "最も高いとき"),
        Words("volume changes by", "体積の変化"), Words("skin read from the .glb differs by", ".glb から読み直したスキンとの差"),
    )  # fmt: skip
    found = Words(
        "squash and stretch (`exaggerate --squash 1`) on the skin of the built-in girl: her volume changes by at most {worst:.0e} %",
        "付属の少女のスキンを潰し・伸ばしても（`exaggerate --squash 1`）、体積の変化は最大 {worst:.0e} % です",
    )
    return Measured(found, {"worst": worst}, worst < 1e-6, columns, tuple(rows))


def _volume(body: Character, places: np.ndarray) -> np.ndarray:
    """(F,) the signed volume that the meshes of `body` enclose."""
    found, begin = np.zeros(len(places)), 0
    for mesh in body.meshes:
        a, b, c = (places[:, begin + mesh.triangles[:, corner]] for corner in range(3))
        found += np.einsum("fti,fti->f", a, np.cross(b, c)) / 6.0
        begin += len(mesh.vertices)
    return found


def _counts(data: Path) -> Measured:
    rows, grows = [], []
    for omit in (0, 2, 4, 6, 8):
        made = [komadori.limited(clip(data, name), omit=omit, hold=0, **GREEDY) for name in TWENTY]
        leap = float(np.median([m.steps_after.max() / m.steps_before.max() for m in made]))
        grows.append(leap)
        rows.append((str(omit), f"{leap:.1f}"))
    columns = (
        Words("omitted", "中無し"),
        Words("largest step, times that before (median)", "最大の変化量（元の何倍か、中央値）"),
    )
    found = Words(
        "the median leap on 20 clips grows from {four:.1f} times the largest step at 4 omissions to {eight:.1f} times at 8; what is too much is for eyes to say",
        "20 本の中央値で、最大の変化量は中無し 4 枚で元の {four:.1f} 倍、8 枚で {eight:.1f} 倍です。どこからが過剰かは目で決めるものです",
    )
    return Measured(found, {"four": grows[2], "eight": grows[4]}, grows == sorted(grows), columns, tuple(rows))


def _order(data: Path) -> Measured:
    rows, worst = [], 0.0
    for name in ("124_01", "124_07", "135_04", "10_01"):
        motion = clip(data, name)
        first = paper(motion, 4, len(motion) // 3)
        none = np.zeros(len(motion), dtype=bool)
        limits = Limits(3, None, none, none)
        held, _ = with_holds(first.points, np.arange(len(motion)), len(motion) // 3, limits)
        other, _ = with_omissions(first.points, held, 4, True, limits)
        share = float(np.mean(other != first.sheet.source)) if len(other) == len(first.sheet) else 1.0
        apart = float(np.abs(other - first.sheet.source).max()) if len(other) == len(first.sheet) else float("inf")
        worst = max(worst, share)
        rows.append((name, f"{100 * share:.0f} %", f"{apart:.0f}"))
    columns = (
        Words("clip", "クリップ"),
        Words("frames that show another drawing", "別の絵になるコマ"),
        Words("at most, frames apart", "最大のずれ（フレーム）"),
    )
    found = Words(
        "in the other order up to {worst:.0f} % of the frames show another drawing",
        "順序を逆にすると、最大 {worst:.0f} % のコマで絵が変わります",
    )
    return Measured(found, {"worst": 100 * worst}, worst <= 0.1, columns, tuple(rows))


def _figure8(data: Path) -> Measured:
    result = paper(clip(data, "124_01"), 4, 33)
    held = np.zeros(len(result.sheet), dtype=bool)
    held[result.held_frames] = True
    steps = np.append(
        0.0, squared_steps(result.points, result.before_holds.source[:-1], result.before_holds.source[1:])
    )
    fast = steps > np.median(steps)
    values = {"fast": 100.0 * held[fast].mean(), "calm": 100.0 * held[~fast].mean()}
    found = Words(
        "held: {calm:.0f} % of the calmer half of the frames, {fast:.0f} % of the faster half",
        "止めの割合は、動きの小さい半分で {calm:.0f} %、大きい半分で {fast:.0f} % です",
    )
    return Measured(found, values, values["calm"] > values["fast"])


def _figures4to7(data: Path) -> Measured:
    rows, grown = [], 0
    for name, _, omit, hold, _ in PAPER:
        result = paper(clip(data, CLIPS[name]), omit, hold)
        times = float(result.steps_after.max() / result.steps_before.max())
        grown += times > 1.0
        rows.append((name, CLIPS[name], ", ".join(map(str, result.omitted_frames.tolist())), f"{times:.2f}"))
    columns = (
        Words("figure", "図"),
        Words("clip", "クリップ"),
        Words("omitted frames", "抜かれたフレーム"),
        Words("largest step, times that before", "最大の変化量（元の何倍か）"),
    )
    return Measured(
        Words("the largest step grows in {grown} of {count}", "{count} 本中 {grown} 本で最大の変化量が増えます"),
        {"grown": grown, "count": len(rows)},
        grown == len(rows),
        columns,
        tuple(rows),
    )


def _default(data: Path) -> Measured:
    rows, worst = [], 0.0
    for name in ("124_01", "124_07", "135_04", "10_01", "49_06"):
        motion = clip(data, name)
        own, greedy = komadori.limited(motion), komadori.limited(motion, solver="greedy")
        worst = max(worst, own.ratio)
        rows.append((name, f"{own.ratio:.2f}", f"{greedy.ratio:.2f}"))
    columns = (Words("clip", "クリップ"), Words("default", "既定"), Words("greedy (the paper)", "貪欲法（論文）"))
    return Measured(
        Words(
            "the default's error is at worst {worst:.2f} times the least possible",
            "既定の誤差は、最も悪い場合で最小値の {worst:.2f} 倍です",
        ),
        {"worst": worst},
        worst < 1.001,
        columns,
        tuple(rows),
    )


def _screen(data: Path) -> Measured:
    motion = clip(data, "124_01")
    from komadori.camera import Camera

    centre = motion.world_positions().reshape(-1, 3).mean(axis=0)
    camera = Camera(centre + np.array([0.0, 0.5, 4.0]), centre)
    plain = paper(motion, 4, 33)
    seen = komadori.limited(motion, omit=4, hold=33, solver="greedy", peaks=False, camera=camera)
    changed = int(np.count_nonzero(plain.sheet.source != seen.sheet.source))
    recipe = komadori.Recipe([komadori.Step("limited", omit=4, hold=33, solver="greedy", peaks=False)])
    made = recipe.run(motion, camera=camera)
    floored = next(one.motion for one in made.steps if one.step.use == "floor")
    wanted = komadori.limited(floored, omit=4, hold=33, solver="greedy", peaks=False, camera=camera).sheet.source
    same = int(np.count_nonzero(made.sheet.source == wanted))
    return Measured(
        Words(
            "steps in the image change {changed} of {count} frames of 124_01 (camera 4 m in front); a recipe run with that camera, as `anime --camera` runs it, agrees with Python in {same} of {count} frames",
            "画面上の変化量で測ると、124_01 の {count} コマ中 {changed} コマが変わります（正面 4 m のカメラ）。同じカメラでレシピを実行すると（`anime --camera` と同じ処理）、{count} コマ中 {same} コマが Python の結果と一致します",
        ),
        {"changed": changed, "count": len(motion), "same": same},
        changed > 0 and same == len(motion),
    )


def _longest(data: Path) -> Measured:
    """The longest run of one drawing in the rows of table 1."""
    rows = []
    for name, frames, omit, hold, _ in PAPER:
        source = clip(data, CLIPS[name])
        motion = source if len(source) == frames else _cut(source, frames)
        runs = [max(run.length for run in _paper_with(motion, omit, hold, most).sheet.runs()) for most in (3, 4)]
        rows.append((name, *map(str, runs)))
    columns = (
        Words("paper's row", "論文の行"),
        Words("`max_exposures` 3 (default)", "`max_exposures` 3（既定）"),
        Words("`max_exposures` 4", "`max_exposures` 4"),
    )
    worst = max(int(row[1]) for row in rows)
    found = Words("no drawing stands for more than {worst} frames", "同じ絵が続くのは最大 {worst} コマです")
    return Measured(found, {"worst": worst}, worst <= 3, columns, tuple(rows))


def _paper_with(motion: Motion, omit: int, hold: int, most: int) -> LimitedResult:
    return komadori.limited(motion, omit=omit, hold=hold, max_exposures=most, **GREEDY)


def _filter(data: Path) -> Measured:
    result = komadori.exaggerate(clip(data, "124_01"))
    return Measured(
        Words(
            "the cartoon animation filter turns joints of 124_01 by up to {deg:.0f} degrees",
            "カートゥーンアニメーションフィルタは 124_01 の関節を最大 {deg:.0f} 度変えます",
        ),
        {"deg": result.largest_deg},
        result.largest_deg > 0.0,
    )


LIMITED = Paper(
    "limited",
    Words("Limited animation: claim by claim", "リミテッドアニメ風表現：論文との対照"),
    "Maki Kitamura, Yoshihiro Kanamori, Jun Mitani, Yukio Fukui, Reiji Tsuruno: 「リミテッドアニメ風表現のためのモーションタイミング調整法」 (Motion Frame Omission for Cartoon-like Effects), IPSJ SIG Technical Report 2013-CG-153 (24), 2013.",
    8,
    1,
    (
        Claim("table-1", Words("Section 4, table 1", "4 節と表 1"), Words("four clips of 129, 92, 88 and 120 frames, 4 to 6 omitted, a third held, in 27 to 69 ms", "129・92・88・120 フレームの 4 クリップで中無し 4〜6、コマ打ち約 3 分の 1、27〜69 ms"), _table1,
              note=Words("124_01 is known to be Pitch by its 129 frames. The other three files are not named in the paper: the kick here is 135_04, the baseball swing 124_07, and no tennis clip is at hand, so that 124_07, a swing of a bat, stands in for it. The caption of figure 4 says that 69 frames are held; table 1 has 33, and 69 is its time in milliseconds: table 1 is followed.", "Pitch はフレーム数 129 から 124_01 と分かります。ほかの 3 本は論文に名前がありません。キックは 135_04、野球のスイングは 124_07 で代用し、テニスのクリップは手元にないため、バットのスイングである 124_07 で代用しました。図 4 の説明ではコマ撮り 69 フレームですが、表 1 では 33 で、69 は処理時間（ミリ秒）です。ここでは表 1 に従いました。")),
        Claim("speed", Words("Equation 1 and algorithm 1", "式 1 とアルゴリズム 1"), Words("speed is the sum of squared joint displacements; the fastest frame goes, the calmest is repeated, and again", "速さは関節の変位の二乗和とし、最も速いフレームを消して最も動かない所に複製を入れることを繰り返す"), limited_model.speed),
        Claim("length", Words("Section 3.2: the length", "3.2 節：尺"), Words("the length is kept, unless it may change", "フレーム長を一定に保つ。変わってよい場合はこの処理は不要"), limited_model.length),
        Claim("actions", Words("Section 3.1: one action a clip", "3.1 節：1 本に 1 つの動作"), Words("compound motion was divided by hand", "複合的な動作は手で分割した"), limited_model.actions, "beyond"),
        Claim("figure-3", Words("Section 3.4 and figure 3", "3.4 節と図 3"), Words("omitting one frame after another exaggerates speed more than omitting the largest steps at once", "1 枚ずつ抜く方が、上位を一度に抜くより速さが強調される"), _figure3, why=Words("Where the fast frames already stand side by side, omitting them at once makes one wide hole. One by one, the step behind a hole is the largest next, so the hole grows forwards only, even where the frames before it are faster.", "速いフレームがもともと並んでいる場合、一度に抜くと 1 つの広い穴になります。1 枚ずつでは穴の直後の変化量が次の最大となるため、手前のフレームの方が速くても穴は後ろにしか広がりません。")),
        Claim("gaps", Words("Section 3.4: where frames are omitted", "3.4 節：抜かれる場所"), Words("one by one, omitted frames lie side by side; at once they are taken from several places", "本手法では抜かれるフレームが連続し、一度に抜く手法では連続せず様々な箇所から抜かれる"), _gaps),
        Claim("order", Words("Section 3.4: the order reversed", "3.4 節：順序の入れ替え"), Words("holds before omission makes little difference", "コマ打ちを先にしても大差がない"), _order, why=Words("The same fast frames go, but holds and the repeats that keep the length share one limit of exposures. Holds that come first use it up, so the repeats move elsewhere, and every frame between is shifted by one.", "抜かれる速いフレームは同じですが、コマ打ちと尺を保つための複製は同じコマ数の上限を分け合います。先にコマ打ちをすると上限が埋まり、複製が別の場所へ移って、その間のコマが 1 つずれます。")),
        Claim("figures-4-7", Words("Figures 4, 5, 6 and 7", "図 4・5・6・7"), Words("the swing of arm or leg is faster", "腕や足の振りの速さが強調される"), _figures4to7,
              note=Words("The tennis swing and the baseball swing are one clip here, with 4 and 6 omissions.", "テニスと野球のスイングは、ここでは同じクリップ（中無し 4 枚と 6 枚）です。"),
              pictures=tuple(
                  (f"papers-{file}", Words(f"{figure}: captured above, limited below; numbers are captured frames.", f"{ja}：上がキャプチャ、下が結果。番号は元のフレームです。"), limited_model.before_and_after(row))
                  for file, figure, ja, row in (("pitch", "Figure 4, pitch", "図 4（投球）", "Pitch"), ("kick", "Figure 5, kick", "図 5（キック）", "Kick"), ("tennis", "Figure 6, a swing with 4 omissions", "図 6（スイング、中無し 4 枚）", "Tennis"), ("swing", "Figure 7, a swing with 6 omissions", "図 7（スイング、中無し 6 枚）", "Baseball swing"))
              )),
        Claim("figure-8", Words("Section 3.1, figures 1, 2 and 8", "図 1・2・8"), Words("many drawings where the motion is large, few where it is small", "動きの大きいところは絵が多く、小さいところは少ない"), _figure8,
              pictures=(("papers-pitch-steps", Words("CMU 124_01: steps before and after, and the drawings that are left.", "CMU 124_01：処理前後の変化量と、残った絵。"), limited_model.chart),)),
        Claim("longest", Words("Sections 3.2 and 3.3: the limit", "3.2・3.3 節：上限"), Words("the same frame follows at most three times, lest the motion stops", "動きが静止して見えないよう、同じフレームは 3 フレームまで"), _longest,
              note=Words("\"At most three\" is read as three exposures in all; `max_exposures=4` is the other reading, three repeats.", "「3 フレームまで」は表示コマ数の合計 3 と解釈しました。`max_exposures=4` は「複製が 3 枚まで」という別の解釈です。")),
        Claim("screen", Words("Section 5: the camera", "5 節：カメラ"), Words("steps should be measured on the screen", "スクリーン座標系での移動量も考慮する必要がある"), _screen, "beyond"),
        Claim("exaggeration", Words("Section 5: exaggeration", "5 節：誇張"), Words("together with the cartoon animation filter it would be nearer to limited animation", "カートゥンアニメーションフィルタと組み合わせればさらに近づく"), _filter, "beyond"),
        Claim("optimum", Words("The default beside the optimum", "既定と最適解"), Words("holds are placed greedily", "コマ打ちは貪欲に決める"), _default, "beyond"),
        Claim("algorithm-2", Words("Section 3.3: algorithm 2 exactly as printed", "3.3 節：アルゴリズム 2 の字義どおりの実行"), Words("copy frame k - 1 to k where the step is least", "変化量が最小の k に k - 1 を上書きする"), _algorithm2,
              why=Words("As printed the loop finds again the step of 0 that it has just made, and spends its rounds on frames that are already copied. `solver=\"literal\"` passes those over and still copies one frame at a time, which moves the start of a run without removing its drawing; `greedy` joins whole runs, so that each round removes exactly one drawing, as table 1's counts have it.", "印刷どおりに実行すると、直前に作った変化量 0 のコマを再び見つけ、すでに複製したコマに回数を費やします。`solver=\"literal\"` はそれを飛ばしますが、1 コマずつ写すため、止めの始まりがずれるだけで絵が減らない回があります。`greedy` は止め全体をつなぐので 1 回で必ず絵が 1 枚減り、表 1 の数え方に合います。")),
        Claim("counts", Words("Section 4: how many", "4 節：枚数"), Words("4 to 6 omissions suit; with more the motion leaps too far to be seen as one", "中無しは 4〜6 枚が適当で、それ以上では動きがとびすぎる"), _counts, note=Words("Only that leaps grow is measured; how many suit is the paper's judgement by eye.", "測ったのは跳びが大きくなることだけです。何枚が適当かは論文の目視による判断です。")),
        Claim("third", Words("Section 4: a third of the frames", "4 節：3 分の 1"), Words("holding about a third of the frames suits, and small motion goes away", "コマ撮りはフレーム長の 3 分の 1 くらいが適当で、微小な動きが低減される"), limited_model.third, note=Words("What suits is the paper's judgement by eye; measured is how little of the movement the held frames carry.", "何枚が適当かは論文の目視による判断です。ここでは、止めたフレームにどれだけ動きがあったかを測りました。")),
        Claim("squash", Words("Section 5: deformation", "5 節：変形"), Words("deformation of the model matters in limited animation and is not done", "変形も重要な要素であるが、本手法では行っていない"), _deformed, "beyond"),
    ),
    sections=("3.1", "3.2", "3.3", "3.4", "4", "5"),
    statements=statements.LIMITED,
)  # fmt: skip
