"""What the five papers say, read out of them section by section: every claim, table, figure, example and promise, and its row."""

from __future__ import annotations

from bench.papers.claims import Statement, Words


def _of(*lines: tuple[str, str, str, str]) -> tuple[Statement, ...]:
    """(section or figure, English, Japanese, name of the row)."""
    return tuple(Statement(_place(where), Words(en, ja), row) for where, en, ja, row in lines)


def _place(where: str) -> Words:
    kind, _, number = where.partition(" ")
    ja = {"section": f"{number} 節", "figure": f"図 {number}", "table": f"表 {number}", "equation": f"式 {number}", "algorithm": f"アルゴリズム {number}", "appendix": "補遺"}  # fmt: skip
    return Words(where.capitalize(), ja[kind])


LIMITED = _of(
    ("section 3.1", "a clip holds one action; compound motion was cut by hand", "入力は 1 つの動作とし、複合的な動作は手で分割する", "actions"),
    ("equation 1", "speed is the sum of squared joint displacements", "速さは関節の変位の二乗和（SSD）", "speed"),
    ("algorithm 1", "delete the fastest frame, repeat the calmest, measure again", "最も速いフレームを消し、最も動かない所に複製を入れ、計算し直す", "speed"),
    ("section 3.2", "the number of frames stays the same, unless it may change", "フレーム長は一定に保つ（変わってよい場合は不要）", "length"),
    ("section 3.2", "at most three frames in a row are the same", "同じフレームは 3 フレームまで", "longest"),
    ("algorithm 2", "copy the frame before over the calmest frame", "最も動きの小さいフレームに前のフレームを上書きする", "algorithm-2"),
    ("section 3.4", "omitting at once exaggerates less than one by one", "一度に抜くより 1 枚ずつ抜く方が強調される", "figure-3"),
    ("section 3.4", "omitted frames lie side by side one by one, apart at once", "1 枚ずつでは連続し、一度に抜くとばらばらになる", "gaps"),
    ("section 3.4", "the order of omission and holds makes little difference", "中無しとコマ撮りの順番を逆にしても大差がない", "order"),
    ("figure 1", "the step of every frame, and the frame that is omitted", "各フレーム間の SSD と、抜かれるフレーム", "figure-8"),
    ("figure 2", "a frame is held", "コマ撮り", "figure-8"),
    ("figure 3", "iterative omission beside omission at once", "本手法と一度に抜く方法の比較", "figure-3"),
    ("figure 4", "Pitch: the arm is faster", "Pitch：右腕の動きの速さが強調される", "figures-4-7"),
    ("figure 5", "Kick: the leg is faster", "Kick：足の動きの速さが強調される", "figures-4-7"),
    ("figure 6", "Tennis: the swing is faster", "Tennis：振りの速さが強調される", "figures-4-7"),
    ("figure 7", "Baseball swing: the swing is faster", "Baseball swing：振りの速さが強調される", "figures-4-7"),
    ("figure 8", "many drawings where the motion is large, few where it is small", "動きが大きいところはキーフレームが多く、小さいところは少ない", "figure-8"),
    ("table 1", "four clips, their counts and times", "4 本のクリップの枚数と処理時間", "table-1"),
    ("section 4", "4 to 6 omissions suit, more leap too far", "中無しは 4〜6 フレームが適当で、それ以上では動きがとびすぎる", "counts"),
    ("section 4", "holding about a third of the frames suits, and small motion goes away", "コマ撮りは 3 分の 1 くらいが適当で、微小な動きが低減される", "third"),
    ("section 5", "steps should be measured on the screen too", "スクリーン座標系での移動量も考慮する必要がある", "screen"),
    ("section 5", "deformation matters and is not done", "変形も重要な要素だが行っていない", "squash"),
    ("section 5", "together with the cartoon animation filter it would be nearer", "カートゥンアニメーションフィルタとの組み合わせ", "exaggeration"),
)  # fmt: skip

KEYPOSES = _of(
    ("section 2", "Action Synopsis gives too few keys for animation", "Action Synopsis のキーフレームは数が少なすぎる", "enough"),
    ("section 2.1", "positions and velocities of end sites, seen from the hips", "腰を基準とした終端部位の位置と速度を使う", "ends"),
    ("section 2.1", "all joints could be used; end sites are what people look at", "すべての関節も使えるが、終端部位に注目する", "all-joints"),
    ("section 2.1", "angles and angular velocities are redundant", "回転角度と回転角速度は冗長", "angles"),
    ("equation 1", "the distance of two frames", "フレーム間の距離", "units"),
    ("section 2.1", "eigenvectors of the distance matrix give the curve", "距離行列の固有値分解でモーションカーブを得る", "scaling"),
    ("section 2.1", "30 dimensions become 2 to 5", "30 次元を 2〜5 次元程度にできる", "dims"),
    ("section 2.2", "the four steps of the extraction", "キーフレーム抽出の 4 つの手順", "steps"),
    ("figure 1", "150 frames at 30 fps, 15 keys, neighbouring frames among them", "150 フレーム（30 fps）から 15 個、隣接するフレームを含む", "figure-1"),
    ("figure 2", "the keys are the telling frames of a throw", "投げる動作の特徴的なフレームが抽出される", "figure-2"),
    ("section 2.3", "sample and hold", "サンプル＆ホールド", "hold"),
    ("figure 3", "an animator redraws the keys; professionals judged it well", "アニメータがキーを変形して制作し、概ね良好な評価を得た", "figure-3"),
    ("section 3", "violent motion gets more keys, calm motion fewer", "激しい動作では多く、そうでない動作では少ない", "violent"),
    ("section 3", "neighbouring frames become keys", "隣接したフレームでもキーになる", "units"),
    ("section 3", "Action Synopsis spreads its keys evenly", "Action Synopsis では比較的均等に抽出される", "even"),
    ("section 4", "slow motion gets no fitting keys; time should be in the curve", "遅い動作では適切に抽出できないことがあり、時間の要素を加えたい", "slow"),
    ("section 4", "the body's travel should be used", "全身の移動を効果的に利用したい", "root"),
    ("section 4", "a plug-in, and trials in production", "プラグインツールの実装と制作現場での評価", "plugin"),
)  # fmt: skip

HAIR = _of(
    ("section 3.1", "drawn hair waves from root to tip, CG hair turns about its root", "作画の髪は波打ち、3DCG の髪は根元を軸に回転する", "physics-lag"),
    ("section 3.1", "drawn hair repeats a cycle, CG hair is irregular", "作画の髪は周期的、3DCG の髪は不規則", "cycle"),
    ("figure 1", "a ball of air moves along the hair", "空気の塊が髪に沿って動く", "figure-1"),
    ("equation 1", "k sets the wavelength", "k は波長を調整する", "wavelength"),
    ("equation 2", "s sets the amplitude and the sag", "s は振幅と重力による傾きを調整する", "parameters"),
    ("equation 3", "p stills the root; a shapes the whole", "p は根元の動きにくさ、a は最終的な形を調整する", "parameters"),
    ("section 3.2", "the bones lie in a straight line", "髪の骨格は直線状に配置されているものとする", "curved"),
    ("figure 2", "it works on a real character", "実際の 3D キャラクタで問題なく動作する", "figure-2"),
    ("table 1", "six scenes of anime", "比較に使用したアニメ", "table-2"),
    ("table 2", "7.39 to 19.2 degrees, 4.67 to 13.8 percent", "7.39〜19.2 度、4.67〜13.8 %", "table-2"),
    ("table 3", "physics: 27.1 degrees, 11.0 percent", "物理演算：27.1 度、11.0 %", "table-3"),
    ("section 5", "strands that gather and part", "髪の集束と分散", "gather"),
    ("section 5", "characters and cameras that move", "キャラクタやカメラの移動", "moving"),
)  # fmt: skip

PUPPET = _of(
    ("section 3", "the handle moves parallel to the screen, its shadow on the ground", "ハンドルは画面に平行に、影は地面に平行に動く", "dragging"),
    ("section 3", "moving the handle moves many joints in real time, and is recorded", "ハンドルで多くの関節を実時間で動かし、記録できる", "keys"),
    ("section 3", "juggling, kick, dance and hip writing", "ジャグリング・キック・ダンス・尻文字", "examples"),
    ("section 3", "a few keys suffice, and reach beyond the space between them", "少数の点だけで、内部に止まらない広い範囲を補間できる", "few-keys"),
    ("section 3", "other ways to interpolate are to be compared", "他の補間手法との比較は今後の課題", "interpolants"),
    ("figure 1", "between two keys, the pose between", "2 つのキーの中間の姿勢", "few-keys"),
    ("figure 2", "juggling by dragging a ball", "ジャグリング", "examples"),
    ("section 3.1", "the end is at the handle exactly, the rest as in the keys", "端点は正確に追従し、それ以外は意図どおりの形になる", "ik"),
    ("section 3.1", "the same handle gives the same pose", "ハンドル位置が同じなら常に同じ結果", "ik"),
    ("figure 3", "inverse kinematics with and without keys", "通常の IK との違い", "ik"),
    ("figure 4", "inverse kinematics with and without keys on a figure", "IK の結果の比較", "ik"),
    ("section 3.2", "feet do not slide, and go faster with the body", "足先が滑らず、早く移動させれば足も早く動く", "walking"),
    ("figure 5", "walking: four keys, the handle fixed to the ground", "歩行：4 つのキー、ハンドルを地面に固定", "walking"),
    ("figure 6", "angles and quaternions keep turning beyond the keys", "角度や 4 元数では回転が続く", "figure-6"),
    ("figure 7", "angles and quaternions break at a full turn", "角度や 4 元数では 1 周で不連続になる", "figure-7"),
    ("section 4", "nine functions a joint go through the keys", "関節ごとに 9 個の関数", "keys"),
    ("section 4", "the cubic kernel moves more away from the keys", "3 乗ではキーから離れたときの動きが大きくなりがち", "cubic"),
    ("appendix", "ten rounds give a usable basis", "10 回の反復で実用上問題ない結果が得られる", "appendix"),
    ("appendix", "where it does not converge, ask for other keys", "収束しない場合はユーザにキーの再設定を要求する", "undefined"),
    ("section 5", "scripts and physics can move the handle", "スクリプトや物理シミュレーションでハンドルを動かせる", "script"),
    ("section 5", "different motions in sequence", "異なる動作の連続", "sequences"),
    ("section 5", "several characters together", "複数のキャラクターの動作", "sequences"),
    ("section 5", "motion for one character on another", "他のキャラクターへの転用", "sequences"),
    ("section 5", "a study with users", "実際のユーザによる操作実験", "study"),
)  # fmt: skip

TRANSLATE = _of(
    ("section 3.1", "a person's legs drive hind legs, these the fore legs", "人の脚から後足、後足から前足へ", "figures-1-6"),
    ("section 3.1", "joints as exponential maps: 24, 24, 30 and 36 numbers", "関節は exponential map で表す（24・24・30・36 次元）", "maps"),
    ("section 3.2", "the pose distance does not depend on place and heading", "姿勢距離は位置や方向によらない", "distance"),
    ("section 3.2", "warping across skeletons should work; not tried", "骨格の異なる DTW も可能と考えるが、検証は今後の課題", "synchronise"),
    ("section 3.3", "a linear system found by N4SID", "N4SID で線形時不変システムを求める", "identification"),
    ("section 4.1", "slow walk: swing and timing are like the original", "遅歩き：振り幅やタイミングがオリジナルに類似", "arms"),
    ("section 4.1", "wide stride: amplitude and direction differ, yet look natural", "大股歩き：振り幅や方向は異なるが自然", "arms"),
    ("section 4.2", "the walk that was learnt is given back", "学習した歩行の前足が出力できる", "horse"),
    ("section 4.2", "identification takes a while, running is in real time", "同定には一定時間を要するが、実行はリアルタイム", "real-time"),
    ("figure 1", "motion data of a quadruped", "四足歩行動物のモーションデータ", "figures-1-6"),
    ("figure 2", "the plan", "提案手法の概要", "figures-1-6"),
    ("figure 3", "the skeletons", "スケルトン構造", "figures-1-6"),
    ("figure 4", "a person's legs to hind legs", "人間の脚動作から後足動作への変換", "figures-1-6"),
    ("figure 5", "hind legs to fore legs", "後足動作から前足動作への変換", "figures-1-6"),
    ("figure 6", "the linear system", "LTI システム", "identification"),
    ("figure 7", "a normal walk, learnt", "通常歩行", "arms"),
    ("figure 8", "a slow walk", "遅歩きの適用例", "arms"),
    ("figure 9", "a wide stride", "大股歩きの適用例", "arms"),
    ("figure 10", "the horse's fore legs", "馬の後足動作から前足動作への変換", "horse"),
    ("section 5", "warping between skeletons", "スケルトン構造の異なるキャラクター間の同期", "synchronise"),
    ("section 5", "other movements than walking", "歩行動作以外の運動", "other-moves"),
)  # fmt: skip
