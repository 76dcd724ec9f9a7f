"""Run by Blender's Python: installs the extension from its zip, and runs the checks of one file, which are its functions `check_...`.

Arguments: the zip, the JSON file to write what happened to, the file of checks, names of checks (all if none).
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any


def main() -> None:
    import bpy

    zip_file, answer, module, *chosen = sys.argv[1:]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    done = bpy.ops.extensions.package_install_files(filepath=zip_file, repo="user_default", enable_on_install=True)
    assert done == {"FINISHED"}, done
    told: dict[str, Any] = {"version": list(bpy.app.version), "checks": {}}
    # Only now: the library comes with the extension.
    checks = vars(importlib.import_module(module))
    for name, check in checks.items():
        if not name.startswith("check_") or (chosen and name not in chosen):
            continue
        try:
            told["checks"][name] = {"said": check() or ""}
        except Exception:
            # Whatever it is, the test shows it.
            told["checks"][name] = {"failed": traceback.format_exc()}
        Path(answer).write_text(json.dumps(told), encoding="utf-8")
    # Blender can wait for itself forever as it ends, with a rig of Rigify in the scene.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
