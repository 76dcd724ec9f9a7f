"""Japanese for SMPL parameters and the arrays that hold them."""

from __future__ import annotations

JAPANESE: dict[str, str] = {
    "Bone lengths come from the body model {file}.": "ボーンの長さはボディモデル {file} のものです",
    "Bone lengths were fitted to the markers in the file. For exact ones, put your {body} model beside it as {file}.": "ボーンの長さはファイル内のマーカーに合わせました。正確にするには、{body} モデルを {file} という名前で隣に置いてください",
    "The file holds only angles, so bone lengths are those of an average adult {metres:.2f} m tall. For exact ones, put your {body} model beside it as {file}.": "ファイルには角度しかないため、ボーンの長さは身長 {metres:.2f} m の平均的な大人のものです。正確にするには、{body} モデルを {file} という名前で隣に置いてください",
    "The body stands along the y axis, so it was read as Y up (AMASS uses Z up).": "体が y 軸に沿って立っているため、y を上としました（AMASS は z が上）",
    "Not read, because they hold neither numbers nor text: {names}": "数値でも文字でもないため読み込まなかった配列：{names}",
    "Soft-tissue parameters (dmpls) are kept for writing but move nothing here.": "軟組織のパラメータ（dmpls）は書き出し用に保持しますが、動きには使いません",
    "The body stands against the y axis, as in camera coordinates, so it was read as Y down.": "体がカメラ座標のように y 軸と逆向きに立っているため、y を下としました",
    "Components of the body model stand in place of angles in {names}: these parts stay at rest. Save them as angles to read them.": "{names} には角度ではなくボディモデルの成分が入っているため、この部分は動きません。読み込むには角度で保存してください。",
    "No translation in the file: the body stays in its place.": "ファイルに移動がないため、体はその場から動きません。",
    "No frame rate in the file; assumed {fps:g} fps.": "ファイルにフレームレートがないため、{fps:g} fps としました。",
    "at least one frame": "1 フレーム以上",
    "AMASS files hold the joints of SMPL, SMPL-H or SMPL-X, and the motion has others; put it onto one first: komadori retarget IN --to A.npz -o OUT.npz": "AMASS ファイルの関節は SMPL、SMPL-H、SMPL-X のものですが、このモーションの関節は異なります。先にリターゲットしてください：komadori retarget IN --to A.npz -o OUT.npz",
    "{body} has no place for {count} joints that move: {names}": "動いている関節 {count} 個は {body} に入りません：{names}",
    "AMASS files hold angles, not bone lengths: a reader uses its own body model in a neutral shape.": "AMASS ファイルには角度だけが入り、ボーンの長さは入りません。読み込む側のモデルの標準体型になります",
    "Not written, because the frames were recomputed: {names}": "コマを計算し直したため書き出さなかったもの：{names}",
    "AMASS files have no room for joints that move in their sockets (here by up to {mm:.1f} mm)": "AMASS ファイルには関節の位置のずれ（最大 {mm:.1f} mm）が入りません",
    "an .npz file of NumPy": "NumPy の .npz ファイル",
    "an array {key}": "配列 {key}",
    "at most {most:,} bytes": "{most:,} バイト以下",
    "plain numbers or text": "数値または文字列",
    "pickled objects": "pickle されたオブジェクト",
    "numbers of the shape {shape}": "形 {shape} の数値",
    "a word": "単語",
    "{counts} angles per frame": "1 フレームあたり {counts} 個の角度",
    "numbers up to {most:g}": "{most:g} 以下の数値",
}
