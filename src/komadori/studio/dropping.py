"""What becomes of files that are dropped on the page: projects, papers, and things for the shelf."""

from __future__ import annotations

from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from komadori.errors import KomadoriError
from komadori.studio.bilingual import both, both_of, error_message
from komadori.studio.door import PATIENCE_S
from komadori.studio.messages import Dropped, Said
from komadori.studio.papers import are_papers
from komadori.studio.papers import read as read_paper
from komadori.studio.papers import taken as take_paper
from komadori.studio.projects import Projects, is_project
from komadori.studio.projects import unpacked as unpack_project
from komadori.studio.replies import computed, response
from komadori.studio.session import Studio
from komadori.studio.uploads import bounded, unpacked


async def dropped(studio: Studio, request: Request, most_bytes: int) -> Response:
    """Files that were dropped on the page: a whole project, papers that are laid into the scene, or things for the shelf."""
    try:
        data = await bounded(request, most_bytes, PATIENCE_S)
    except ClientDisconnect:
        return Response(status_code=400)
    except KomadoriError as error:
        return response(error_message(error), 413)
    try:
        files = unpacked(data)
        if is_project(files):
            return response(await run_in_threadpool(_received_project, studio.projects, *files[0]))
        if are_papers([name for name, _ in files]):
            return response(await _read_papers(studio, request.query_params.get("part", ""), files))
    except KomadoriError as error:
        return response(error_message(error), 422)
    return await computed(lambda: studio.desk.shelf.dropped(files))


def _received_project(projects: Projects, name: str, data: bytes) -> Dropped:
    """A project that came as one file, in its own folder; it is opened when the page asks for it."""
    stem = Path(name.replace("\\", "/")).stem[:60].strip(". ") or "project"
    folder = projects.new(projects.free(stem))
    unpack_project(data, Path(name).name, folder)
    return Dropped([], [], project=str(folder))


async def _read_papers(studio: Studio, part: str, files: list[tuple[str, bytes]]) -> Dropped:
    """Timesheets, recipes, puppets and traces, put into the scene one after another."""
    notes: list[Said] = []
    troubles: list[Said] = []
    for name, data in files:
        try:
            thing = await run_in_threadpool(read_paper, name, data)
            notes.append(both(take_paper(studio.desk, part, Path(name).name, data, thing)))
        except KomadoriError as error:
            troubles.append(both_of(error))
    studio.changed()
    return Dropped([], troubles, notes)
