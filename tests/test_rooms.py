"""The house's plan, as a test: a room may import only the rooms listed for it."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "komadori"

TYPES = ["errors", "shown", "words", "rates", "quat", "parameters", "result", "registry", "skeleton", "timesheet"]
CORE = [
    *TYPES,
    "cut",
    "files",
    "children",
    "json_text",
    "fast",
    "numerics",
    "kinematics",
    "ik",
    "motion",
    "flesh",
    "camera",
    "roles",
    "feet",
    "keyed",
    "chains",
    "springs",
    "character",
    "skinning",
]

# Room -> the rooms above it that it may know. A room is a file or a folder of src/komadori.
PLAN: dict[str, list[str]] = {
    "errors": ["words"],
    "shown": [],
    "extras": ["words"],
    "words_ja": [],
    "words": ["words_ja"],
    "rates": ["errors", "words"],
    "quat": [],
    "parameters": ["errors", "words"],
    # For type checkers alone: a result names the types that it carries.
    "result": ["shown", "words", "motion", "timesheet"],
    "registry": ["errors", "parameters", "result", "words"],
    "skeleton": ["errors", "shown", "quat", "words"],
    "timesheet": ["errors", "shown", "rates", "words"],
    "cut": ["errors", "timesheet", "words"],
    "files": ["errors", "words"],
    "children": [],
    "json_text": ["errors", "rates", "words"],
    "fast": ["errors", "words"],
    "numerics": ["errors", "quat", "fast", "words"],
    "kinematics": ["errors", "quat", "skeleton", "fast"],
    "ik": ["errors", "quat", "skeleton", "kinematics"],
    "motion": [*TYPES, "kinematics", "numerics"],
    "flesh": ["quat", "skeleton"],
    "camera": ["errors", "quat", "words"],
    "roles": ["errors", "quat", "skeleton", "words"],
    "feet": [*TYPES, "numerics", "kinematics", "motion", "roles"],
    "keyed": [*TYPES, "numerics", "kinematics", "motion"],
    "springs": [],
    "chains": ["errors", "quat", "skeleton", "kinematics", "roles"],
    "character": [*TYPES, "numerics", "kinematics", "motion", "roles", "chains", "springs"],
    "skinning": [*TYPES, "numerics", "kinematics", "motion", "character"],
    "methods": CORE,
    "measures": CORE,
    "formats": [*CORE, "methods", "characters", "pipeline"],
    "characters": CORE,
    "render": [*CORE, "methods", "formats", "characters"],
    "pipeline": [*CORE, "methods"],
    "live": [*CORE, "methods", "formats", "characters", "pipeline"],
    "anime": [*CORE, "methods", "formats", "characters", "render", "pipeline"],
    "library": [*CORE, "measures", "methods", "formats", "characters", "render", "pipeline", "anime", "__version__"],
    "studio": [*CORE, "methods", "formats", "characters", "render", "pipeline", "live"],
    "cli": [
        *CORE,
        "methods",
        "formats",
        "characters",
        "render",
        "pipeline",
        "anime",
        "studio",
        "live",
        "extras",
        "measures",
        "library",
        "__version__",
    ],
    "__main__": ["cli"],
}
# Format -> the things below the core that it makes from files; every other format knows the core alone.
MADE = {
    "puppet": ["methods.puppet"],
    "take": ["methods.puppet"],
    "script": ["methods.puppet"],
    "trace": ["methods.hair"],
    "translator": ["methods.translate"],
    "recipe": ["pipeline"],
    "loading": ["methods", "pipeline", "characters.samples"],
    "saving": ["methods", "pipeline"],
}
NUMPY_ALONE = [*CORE, "methods", "formats", "characters", "pipeline"]
# Format -> the library that it may load, inside a function, when one of its files is met.
EXTRAS = {"usd": {"pxr"}, "c3d": {"ezc3d"}, "fbx": {"ufbx"}, "gltf": {"DracoPy", "meshoptimizer"}}


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> set[str]:
    """Every module that `path` imports, wherever in the file, as full dotted names."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


FILES = [p for p in sorted(SOURCE.rglob("*.py")) if p != SOURCE / "__init__.py"]


# One test for all files, not one for each: it takes a moment, and a failure names every import that is out of place.


def test_a_room_knows_only_the_rooms_above_it() -> None:
    wrong = []
    for path in FILES:
        room = room_of(path)
        assert room in PLAN, f"{room}: a new room needs a place in PLAN"
        for name in imports_of(path):
            parts = name.split(".")
            other = parts[1] if len(parts) > 1 else "the public face"
            if parts[0] == "komadori" and other != room and other not in PLAN[room]:
                wrong.append(f"{path.relative_to(SOURCE)} reaches for {other}")
    assert not wrong


def test_methods_never_know_each_other() -> None:
    wrong = []
    for path in FILES:
        parts = path.relative_to(SOURCE).parts
        if parts[0] != "methods" or parts[1] == "__init__.py":
            continue
        own = parts[1].removesuffix(".py")
        split = [name.split(".") for name in imports_of(path)]
        others = {names[2] for names in split if names[:2] == ["komadori", "methods"] and len(names) > 2} - {own}
        wrong += [f"method {own} reaches for method {other}" for other in others]
    assert not wrong


def test_a_format_knows_only_the_things_it_makes() -> None:
    wrong = []
    for path in (path for path in FILES if room_of(path) == "formats"):
        known = MADE.get(path.relative_to(SOURCE).parts[1].removesuffix(".py"), [])
        for name in imports_of(path):
            parts = name.split(".")
            inner = ".".join(parts[1:])
            outside = parts[0] == "komadori" and parts[1] not in (*CORE, "formats")
            if outside and not any(inner == one or inner.startswith(f"{one}.") for one in known):
                wrong.append(f"{path.relative_to(SOURCE)} reaches for {inner}")
    assert not wrong


def test_the_core_needs_numpy_alone() -> None:
    wrong = []
    for path in FILES:
        if room_of(path) not in NUMPY_ALONE:
            continue
        outside = {n.split(".")[0] for n in imports_of(path)} - {"komadori", "numpy"} - set(sys.stdlib_module_names)
        if room_of(path) == "fast":
            outside -= {"numba"}
        if room_of(path) == "formats":
            outside -= EXTRAS.get(path.relative_to(SOURCE).parts[1].removesuffix(".py"), set())
        wrong += [f"{path.relative_to(SOURCE)} imports {name}" for name in sorted(outside)]
    assert not wrong
