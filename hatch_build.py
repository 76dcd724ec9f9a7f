"""What a wheel needs besides Python: the studio's page, built from its TypeScript when the wheel is built."""

from __future__ import annotations

import os
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageHook(BuildHookInterface[Any]):
    """Builds the page, so that those who install the wheel need no Node. A checkout builds its own with `make page`."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Node as a package, where this machine has none that is new enough."""
        page = self._page()
        return [] if self._without_page() or page.node_on_path() else [page.NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the files are gathered."""
        page = self._page()
        if version != "editable" and not self._without_page() and not page.is_fresh():
            page.build()

    def _without_page(self) -> bool:
        """Whether the wheel is for a program that never opens the studio, such as Blender."""
        return bool(os.environ.get("KOMADORI_WHEEL_WITHOUT_PAGE"))

    def _page(self) -> Any:
        path = Path(self.root) / "src" / "komadori" / "studio" / "web" / "build.py"
        spec = spec_from_file_location("komadori_page", path)
        if spec is None or spec.loader is None:
            raise FileNotFoundError(path)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
