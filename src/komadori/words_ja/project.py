"""Japanese for what the program says of its own installation."""

from __future__ import annotations

JAPANESE: dict[str, str] = {
    "Show which optional parts are installed, and how to install the others.": "オプション機能のインストール状況と、追加の方法を表示します。",
    "system": "システム",
    "installed: {purpose} ({libraries})": "インストール済み：{purpose}（{libraries}）",
    "not installed: {purpose} ({libraries}). Get it with: {command}": "未インストール：{purpose}（{libraries}）。追加するには：{command}",
    "Get everything with: {command}": "すべて追加するには：{command}",
    "PNG and GIF pictures, printed timesheets (PDF)": "PNG・GIF 画像、印刷用タイムシート（PDF）",
    "films (MP4, WebM)": "ムービー（MP4、WebM）",
    "the studio in the browser": "ブラウザで使うスタジオ",
    "reading FBX files": "FBX ファイルの読み込み",
    "reading and writing USD files": "USD ファイルの読み書き",
    "reading C3D marker files": "C3D マーカーファイルの読み込み",
    "reading Draco and meshopt geometry in glTF files": "glTF の Draco・meshopt 圧縮ジオメトリの読み込み",
    "batches on several machines, and files at an address (s3://...)": "複数マシンでの一括処理と、アドレス指定（s3://...）のファイル",
    "a batch's table as a Parquet file": "一括処理の表の Parquet 出力",
    "compiled loops for long clips (set KOMADORI_FAST=1)": "長いクリップ向けのコンパイル済みループ（KOMADORI_FAST=1 で有効）",
}
