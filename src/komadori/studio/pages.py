"""The page's own files, as a browser wants them: compressed once, and asked for once."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from functools import lru_cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

LEVEL = 9
SMALL = 1000
"""Bytes below which compressing is not worth a header."""
_TEXT = {".css", ".html", ".js", ".json", ".map", ".md", ".svg", ".txt"}


def served(request: Request, folder: Path, name: str) -> Response:
    """The file called `name` in `folder`, compressed where the browser takes that; nothing if it has it already."""
    known = {path.name: path for path in folder.iterdir() if path.is_file()} if folder.is_dir() else {}
    if name not in known:
        return Response(status_code=404)
    path = known[name]
    plain, small, tag = _read(path, path.stat().st_mtime_ns)
    headers = {"etag": tag, "vary": "accept-encoding"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    data = plain
    if small is not None and "gzip" in request.headers.get("accept-encoding", ""):
        data, headers["content-encoding"] = small, "gzip"
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Response(data, headers=headers, media_type="text/javascript" if name.endswith(".js") else kind)


@lru_cache(64)
def _read(path: Path, changed: int) -> tuple[bytes, bytes | None, str]:
    """A file's bytes, the same compressed (None if that is not worth it), and a tag that tells it from other versions."""
    data = path.read_bytes()
    worth = path.suffix in _TEXT and len(data) > SMALL
    tag = hashlib.sha256(data).hexdigest()[:24]
    return data, gzip.compress(data, LEVEL, mtime=0) if worth else None, f'"{tag}"'
