"""The worker process: jobs come in on standard input, records go out on standard output, one after another.

It is started isolated (`command`), so that nothing in the working directory is imported, and what goes in and out is plain data: nothing that
is received can run code. It ends when its input does, and when the process that began it is gone.
"""

from __future__ import annotations

import json
import os
import select
import signal
import struct
import sys
import threading
import time
from typing import IO, Any

from komadori import children
from komadori.formats import parcel

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from komadori.library.worker import begin; begin(int(sys.argv[2]))"
)
LENGTH = struct.Struct("<Q")
NO_MEMORY = 77
"""The exit status when memory runs out."""
PARENT_S = 0.5
"""How often it checks whether anybody still waits for it."""
IDLE_S = 60.0
"""It ends after this long without work: on a cluster nobody signals that a batch is over."""


def send(stream: IO[bytes], thing: object) -> None:
    """One message, prefixed with its length."""
    data = parcel.packed(thing)
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """The next message, which is plain data; an EOFError if no complete one arrives."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    (length,) = LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    try:
        return parcel.opened(data)
    except parcel.Damaged:
        raise EOFError from None


def command(memory_mb: int) -> list[str]:
    """The command that starts such a process."""
    return children.isolated(_START, json.dumps(children.paths()), str(memory_mb))


def main(memory_mb: int) -> int:
    """Work until the input ends."""
    # Ctrl+C is for the process that waits: it decides what becomes of this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    # Output printed by a library must not mix with the answers.
    os.dup2(2, 1)
    # There are as many workers as cores already.
    os.environ[children.DRAWERS] = "0"
    _limit(memory_mb)
    from komadori.errors import OutputError
    from komadori.library.jobs import Job
    from komadori.library.work import worked

    while _is_asked():
        try:
            job = Job(**receive(sys.stdin.buffer))
        except EOFError:
            return 0
        try:
            answer: object = vars(worked(job))
        except OutputError as error:
            answer = error
        send(answers, (answer, peak_mb()))
    return 0


def _is_asked() -> bool:
    """Whether anything comes in within IDLE_S; if the system cannot wait so, it is taken for granted."""
    return sys.platform == "win32" or bool(select.select([sys.stdin.buffer], [], [], IDLE_S)[0])


def peak_mb() -> float:
    """The most memory that this process ever had, in megabytes; 0 if the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (2**20 if sys.platform == "darwin" else 2**10)


def _limit(memory_mb: int) -> None:
    """If the system can, limit this process's memory: a clip that needs more gets an error, and the machine stays usable."""
    if sys.platform != "linux" or memory_mb <= 0:
        return
    import resource

    most = memory_mb * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_S)
    os._exit(1)


def begin(memory_mb: int) -> None:
    """Work, and end."""
    try:
        sys.exit(main(memory_mb))
    except MemoryError:
        # Where not even the record could be written; at once, because a tidy end takes memory too.
        os._exit(NO_MEMORY)
