"""Offers: arrays and figures that the page may fetch for a while, under addresses that it was told."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeAlias

MOST = 64
"""Things that can be fetched at one time; the oldest go first."""
Offer: TypeAlias = Callable[[str, Callable[[], bytes]], str]
"""Puts bytes where the page can fetch them under a name; returns their address."""


class Offers:
    """Bytes by name, made when they are fetched."""

    def __init__(self) -> None:
        self._makers: OrderedDict[str, Callable[[], bytes]] = OrderedDict()

    def put(self, name: str, make: Callable[[], bytes]) -> str:
        """Offers what `make` gives; the address for the page."""
        self._makers[name] = make
        self._makers.move_to_end(name)
        while len(self._makers) > MOST:
            self._makers.popitem(last=False)
        return f"api/offer/{name}"

    def put_now(self, name: str, make: Callable[[], bytes]) -> str:
        """Like `put`, but made at once: what is wrong with it is raised here, not when it is fetched."""
        kept = self._makers.get(name)
        data = make() if kept is None else kept()
        return self.put(name, lambda: data)

    def get(self, name: str) -> bytes | None:
        """The bytes behind an address, or None if it was never told or is long gone."""
        make = self._makers.get(name)
        return None if make is None else make()
