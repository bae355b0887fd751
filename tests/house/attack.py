"""Lists the patterns that the package compiles, and attacks them: run by test_patterns."""

from __future__ import annotations

import ast
import hashlib
import importlib
import json
import pkgutil
import re
import signal
import sys
import time
import warnings
from functools import cache
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any

PUMPED = 1000
"""Characters of the shorter text. Lines are cut off at 16 kB before a pattern meets them."""

TRIVIAL_SECONDS = 0.004
"""Time always permitted for the longer text: linear patterns take a hundredth of it."""

LIMIT_SECONDS = 0.3
LONGER = 4
RATIO = 9.0
"""Of the times for a text that is four times as long: 4 is linear, 16 quadratic."""

PUMPS = (
    " ",
    "a",
    "1",
    "a ",
    "(a)",
    " !",
    "a !",
    "=",
    '"',
    ":",
    "-",
    "x,",
    "1-",
    "a.",
    ";",
    "a=",
    "1 2 ",
)
MISFITS = ("\0", '";;\0')
"""Endings that match nowhere: a character that is in few sets, and end marks."""

SEARCHED = ("search", "finditer", "findall", "sub", "split")


class Over(BaseException):
    """The time is up."""


def _over(_number: int, _frame: FrameType | None) -> None:
    raise Over


def seconds(pattern: re.Pattern[str], method: str, text: str) -> float:
    """Processor time of one match; LIMIT_SECONDS where it takes longer."""
    call = getattr(pattern, method)
    begin = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, LIMIT_SECONDS)
    try:
        call(text)
    except Over:
        return LIMIT_SECONDS
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return time.process_time() - begin


def attack(pattern: re.Pattern[str], method: str) -> str:
    """The text that is pumped, where the pattern takes more than linear time of it."""
    signal.signal(signal.SIGPROF, _over)
    for before, pump, after in product(beginnings(pattern.pattern), PUMPS, MISFITS):
        count = PUMPED // len(pump)
        text = before + pump * LONGER * count + after
        if seconds(pattern, method, text) < TRIVIAL_SECONDS:
            continue
        long = min(seconds(pattern, method, text) for _ in range(3))
        if long < TRIVIAL_SECONDS:
            continue
        half = before + pump * count + after
        short = min(seconds(pattern, method, half) for _ in range(3))
        if long >= LIMIT_SECONDS or long > RATIO * short:
            return f"{before[-20:]!r} + {pump!r} * n + {after!r}"
    return ""


def beginnings(text: str) -> list[str]:
    """Texts that lead into the repeated parts of a pattern."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import sre_parse  # noqa: PLC0415  (its new name is private)

        parsed = sre_parse.parse(text, re.VERBOSE if text.lstrip(" ").startswith("\n") else 0)
    found: dict[str, None] = {"": None}
    _walk(parsed, [], found)
    return list(found)


_SAMPLES = {"CATEGORY_SPACE": " ", "CATEGORY_DIGIT": "1"}


def _walk(parsed: Any, so_far: list[str], found: dict[str, None]) -> None:
    for operation, value in parsed:
        name = str(operation)
        if name == "LITERAL":
            so_far.append(chr(value))
        elif name in ("ANY", "NOT_LITERAL"):
            so_far.append("a")
        elif name == "IN":
            so_far.append(_one_of(value))
        elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
            _walk(value[3] if name == "SUBPATTERN" else value, so_far, found)
        elif name == "BRANCH":
            _walk(value[1][0], so_far, found)
        elif name.endswith("_REPEAT"):
            low, high, inner = value
            if high > 99:
                found["".join(so_far)] = None
            if low:
                _walk(inner, so_far, found)
            elif high > 1 and len(inner) > 1:
                _walk(inner, list(so_far), found)


def _one_of(value: Any) -> str:
    name, what = str(value[0][0]), value[0][1]
    if name == "LITERAL":
        return chr(what)
    if name == "RANGE":
        return chr(what[0])
    return _SAMPLES.get(str(what), "a") if name == "CATEGORY" else "~"


def compiled() -> dict[tuple[str, int], tuple[str, bool]]:
    """Every pattern that the package compiles: where, and whether it is searched for."""
    found: dict[tuple[str, int], tuple[str, int]] = {}
    original = re.compile

    def spy(pattern: Any, flags: int = 0) -> Any:
        made = original(pattern, flags)
        frame = sys._getframe(1)
        file = frame.f_code.co_filename
        if isinstance(pattern, str) and "roce_lint" in file:
            found.setdefault((pattern, made.flags), (file, frame.f_lineno))
        return made

    re.compile = spy  # type: ignore[assignment]
    package = importlib.import_module("roce_lint")
    for module in pkgutil.walk_packages(package.__path__, "roce_lint."):
        if not module.name.endswith("__main__") and not module.name.startswith("roce_lint.dev"):
            importlib.import_module(module.name)
    made = declared()
    re.compile = original
    root = Path(next(iter(package.__path__)))
    made |= inline(root)
    own = {key: (_place(root, *place), _is_searched(root, *place)) for key, place in found.items()}
    return {**own, **made}


INLINE = ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")
_INLINE = re.compile(rf"\bre\.(?:{'|'.join(INLINE)})\(")
UNSEEN = (ast.Name, ast.Attribute, ast.Call, ast.BinOp)
"""Forms of a pattern that no constant is: made of what was compiled or declared elsewhere."""


def inline(root: Path) -> dict[tuple[str, int], tuple[str, bool]]:
    """The patterns that are written where they are used: `re.search("...", text)`.

    What is put into an f-string counts as any word; the rest of it is attacked.
    """
    found: dict[tuple[str, int], tuple[str, bool]] = {}
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "dev" in path.relative_to(root).parts or not _INLINE.search(text):
            continue
        for node in ast.walk(ast.parse(text)):
            called = node.func if isinstance(node, ast.Call) else None
            if not (
                isinstance(called, ast.Attribute)
                and isinstance(called.value, ast.Name)
                and called.value.id == "re"
                and called.attr in INLINE
            ):
                continue
            assert isinstance(node, ast.Call)
            written = _written(node.args[0])
            if written is not None:
                flags = re.compile(written, _flags(node)).flags
                found[written, flags] = (
                    _place(root, str(path), node.lineno), called.attr not in ("match", "fullmatch"),
                )  # fmt: skip
    return found


def _written(node: ast.expr) -> str | None:
    """The pattern of an expression; None if it is not a literal."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "7" for part in node.values
        )
    assert isinstance(node, UNSEEN), ast.dump(node)
    return None


def _flags(node: ast.Call) -> int:
    """The flags of a call, which are written as names of `re`."""
    written = [*node.args[1:], *(word.value for word in node.keywords)]
    names = {
        part.attr
        for each in written
        for part in ast.walk(each)
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name)
        if part.value.id == "re" and part.attr.isupper()
    }
    return sum(int(getattr(re, name)) for name in names)


def declared() -> dict[tuple[str, int], tuple[str, bool]]:
    """The patterns that network operating systems declare, and those of their templates."""
    from roce_lint.nos.declare import Form  # noqa: PLC0415
    from roce_lint.nos.device_reader import template_of  # noqa: PLC0415
    from roce_lint.nos.registry import all_nos  # noqa: PLC0415

    found: dict[tuple[str, int], tuple[str, bool]] = {}
    for nos in all_nos().values():
        for source in nos.sources:
            place = f"declared/{nos.name}/{source.name}"
            searched = [*(sign.pattern for sign in source.signatures), source.hostname]
            matched = [
                source.command, source.file_name, source.comment, source.trailing, source.reattach,
                source.childless, source.separator, source.continuation, source.refusal, source.outer,
                *(skip.start for skip in source.skips), *(item.pattern for item in source.ignored),
                *(section.header for section in source.sections),
            ]  # fmt: skip
            found |= {(text, re.MULTILINE): (place, True) for text in searched if text}
            found |= {(text, 0): (place, False) for text in matched if text}
            for section in source.sections if source.form is Form.INDENTED else ():
                template_of(nos, source, section.name)
    return found


def _place(root: Path, file: str, line: int) -> str:
    return f"{Path(file).relative_to(root).as_posix()}:{line}"


def _is_searched(root: Path, file: str, line: int) -> bool:
    """True if the name of a pattern is used for searching in its module."""
    text, assigned = _assignments(file)
    names = {name for first, last, name in assigned if first <= line <= last}
    public = any(not name.startswith("_") for name in names)
    seen = _everything(root) if public else text
    return any(f"{name}.{method}(" in seen for name in names for method in SEARCHED)


@cache
def _assignments(file: str) -> tuple[str, list[tuple[int, int, str]]]:
    """The text of a module, and the names it assigns, each with first and last line."""
    text = Path(file).read_text(encoding="utf-8")
    return text, [
        (node.lineno, node.end_lineno or node.lineno, target.id)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]


@cache
def _everything(root: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in root.rglob("*.py"))


def file_of(place: str) -> str:
    """The module of a pattern, or the source that declares it."""
    return place.partition(":")[0]


def main(wanted: list[str]) -> None:
    """Print a hash of the patterns of every file, and which patterns of the wanted files fell."""
    texts: dict[str, list[str]] = {}
    fell = []
    for (text, flags), (place, searched) in sorted(compiled().items(), key=lambda item: item[1]):
        texts.setdefault(file_of(place), []).append(f"{text} {flags} {searched}")
        if file_of(place) not in wanted and wanted != ["all"]:
            continue
        pattern = re.compile(text, flags)
        for method in ("match", *(["search"] if searched else [])):
            how = attack(pattern, method)
            if how and all(attack(pattern, method) for _ in range(4)):  # no stall of the machine
                fell.append(f"{place} {method}: {text[:80]!r} by {how}")
    hashes = {
        file: hashlib.sha256("\0".join(sorted(own)).encode(errors="surrogatepass")).hexdigest()[:12]
        for file, own in texts.items()
    }
    count = sum(map(len, texts.values()))
    sys.stdout.write(json.dumps({"hashes": hashes, "fell": fell, "count": count}))


if __name__ == "__main__":
    main(sys.argv[1:])
