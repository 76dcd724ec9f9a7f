"""What a page fetches beside its live line: lists, projects, arrays, sounds and films, and exported files."""

from __future__ import annotations

from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from komadori.errors import KomadoriError
from komadori.render.shot import CAMERAS
from komadori.render.toon import STYLES
from komadori.studio import panels
from komadori.studio.bilingual import both, error_message, note_message
from komadori.studio.exporting import NOT_A_VRM, formats, unfit
from komadori.studio.media import TYPES
from komadori.studio.messages import Formats, ProjectList, Shelf
from komadori.studio.projects import packed as packed_project
from komadori.studio.replies import computed, response
from komadori.studio.session import Studio
from komadori.words import Note


def fetches(studio: Studio) -> list[Route]:
    """The addresses under /api that a page reads from."""
    desk = studio.desk

    async def shelf(_: Request) -> Response:
        return await computed(lambda: Shelf(desk.shelf.items()))

    async def projects(_: Request) -> Response:
        return await computed(lambda: ProjectList(studio.projects.listed(studio.save.folder)))

    async def shared(_: Request) -> Response:
        try:
            whole = await run_in_threadpool(packed_project, desk.scene, desk.shelf)
        except KomadoriError as error:
            return response(error_message(error), 422)
        return Response(whole, media_type="application/zip")

    async def offer(request: Request) -> Response:
        try:
            data = await run_in_threadpool(desk.teller.offers.get, request.path_params["name"])
        except KomadoriError as error:
            return response(error_message(error), 422)
        if data is None:
            return response(note_message(Note("this is out of date; the page fetches it again")), 404)
        return Response(data, media_type="application/octet-stream")

    async def media(request: Request) -> Response:
        """A sound, a film or a still; a film is fetched in pieces, as it is played."""
        try:
            path = await run_in_threadpool(desk.shelf.media_file, request.query_params.get("key", ""))
        except KomadoriError as error:
            return response(error_message(error), 404)
        return FileResponse(path, media_type=TYPES[path.suffix.lower()])

    async def listed(_: Request) -> Response:
        return await computed(
            lambda: Formats(formats(), unfit(desk, desk.scene), both(NOT_A_VRM), list(CAMERAS), list(STYLES))
        )

    async def methods(_: Request) -> Response:
        return await computed(panels.listed)

    async def export(request: Request) -> Response:
        file = studio.exports.get(request.path_params["key"])
        if file is None:
            return response(note_message(Note("this file no longer exists; export it again")), 404)
        headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(file.name)}"}
        return Response(file.data, media_type="application/octet-stream", headers=headers)

    return [
        Route("/api/shelf", shelf),
        Route("/api/projects", projects),
        Route("/api/project", shared),
        Route("/api/offer/{name}", offer),
        Route("/api/media", media),
        Route("/api/formats", listed),
        Route("/api/methods", methods),
        Route("/api/export/{key}", export),
    ]
