"""Where a session's frames go: to receivers of VMC, and into a recording that grows on disk and not in memory."""

from __future__ import annotations

import json
import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import numpy as np

from komadori import quat
from komadori.character import Character
from komadori.errors import OptionError
from komadori.formats import save, suffixes
from komadori.formats.faces import expression, with_face
from komadori.keyed import Keyed
from komadori.live import vmc
from komadori.live.body import Body
from komadori.live.places import Place
from komadori.live.session import Shown
from komadori.motion import Motion
from komadori.quat import Array
from komadori.timesheet import Timesheet
from komadori.words import Note

SHEET = ".xdts"
FACES = (".vrma", ".vmd")
"""Takes that hold the face as well."""


class Sink(Protocol):
    """Receives every frame that is shown."""

    def show(self, frame: Shown) -> None:
        """Take the next frame."""

    def close(self) -> None:
        """No more will come."""


class VmcSink:
    """Sends every frame to a receiver of VMC. Whether anything receives them is not known, and does not matter."""

    def __init__(self, place: Place, body: Body, fps: float) -> None:
        self._body, self._fps = body, fps
        try:
            found = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_DGRAM)[0]
        except OSError:
            raise OptionError("--to", expected=Note("a host that can be found"), found=place.host) from None
        self._address = found[4]
        self._socket = socket.socket(found[0], socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self.unsent = 0

    def show(self, frame: Shown) -> None:
        """Send the pose and the face."""
        rotations, hips = self._body.told(frame.rotations, frame.positions)
        for datagram in vmc.written(rotations, self._body.present, hips, frame.face, frame.number / self._fps):
            try:
                self._socket.sendto(datagram, self._address)
            except OSError:
                # A full buffer, a network that is gone: the next frame comes in a moment.
                self.unsent += 1

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


class Recording:
    """The drawings of a session and when they are shown. They lie in a temporary file until they are saved."""

    def __init__(self, character: Character, fps: float) -> None:
        self._character, self._fps = character, fps
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        self._last = b""
        self._starts: list[int] = []
        self._frames = 0
        self._faces = tempfile.TemporaryFile()  # noqa: SIM115
        self._face: Mapping[str, float] = {}
        self._first: int | None = None

    def __len__(self) -> int:
        return self._frames

    def show(self, frame: Shown) -> None:
        """Write a new drawing down; for a held one only its time is kept. Frames that were skipped hold the drawing before them."""
        if self._first is None:
            self._first = frame.number
        now = frame.number - self._first
        row = np.concatenate([frame.rotations.ravel(), frame.positions.ravel()]).astype(np.float32)
        data = row.tobytes()
        if data != self._last:
            self._starts.append(now)
            self._file.write(data)
        self._last = data
        if frame.face != self._face:
            self._face = dict(frame.face)
            self._faces.write(json.dumps([now, self._face]).encode() + b"\n")
        self._frames = now + 1

    @property
    def sheet(self) -> Timesheet:
        """Which frame of the recording each frame shows: the one in which its drawing came."""
        starts = np.array(self._starts, dtype=np.int64)
        return Timesheet(self._fps, np.repeat(starts, np.diff(np.append(starts, self._frames))))

    @property
    def keyed(self) -> Keyed:
        """The drawings, each held until the next."""
        joints = len(self._character.skeleton)
        self._file.seek(0)
        rows = np.frombuffer(self._file.read(), dtype=np.float32).reshape(-1, joints * 7).astype(np.float64)
        rotations = quat.continuous(quat.normalized(rows[:, : joints * 4].reshape(-1, joints, 4)))
        positions = rows[:, joints * 4 :].reshape(-1, joints, 3)
        starts = np.array(self._starts, dtype=np.int64)
        return Keyed(self._character.skeleton, self._fps, self._frames, starts, rotations, positions, "stepped")

    @property
    def motion(self) -> Motion:
        """Every frame that was shown."""
        return self.keyed.motion()

    @property
    def face(self) -> dict[str, Array]:
        """The weight of each expression at every frame, by VRM 1.0's names."""
        self._faces.seek(0)
        made: dict[str, Array] = {}
        for line in self._faces:
            at, weights = json.loads(line)
            named = {expression(name): weight for name, weight in weights.items()}
            for name in named.keys() - made.keys():
                made[name] = np.zeros(self._frames)
            for name, values in made.items():
                values[at:] = named.get(name, 0.0)
        return {name: made[name] for name in sorted(made)}

    def saved(self, path: str) -> list[str]:
        """Write the take, and its timesheet beside it; returns the names of the files. Nothing if nothing was shown."""
        if not self._frames:
            return []
        suffix = Path(path).suffix.lower()
        take = self.keyed if suffix != ".bvh" else self.motion
        if suffix in FACES and (face := self.face):
            take = with_face(self.motion, face)
        if suffix in suffixes("write_character") and suffix not in (".vrma",):
            save(self._character, path, motions={"take": take})
        else:
            save(take, path)
        sheet = str(Path(path).with_suffix(SHEET))
        save(self.sheet, sheet)
        return [path, sheet]

    def close(self) -> None:
        """Let go of the temporary file."""
        self._file.close()
        self._faces.close()
