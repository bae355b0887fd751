"""Answers of `check`, kept under the hash of all that they rest on: the files, the options, the
day, the terminal and this program. An equal run writes the same bytes without a check.
"""

from __future__ import annotations

import json
import os
import sys
import time
import zlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roce_lint._version import __version__
from roce_lint.cli import output, printing
from roce_lint.cli.judging import AnswerOptions, files_of, judge
from roce_lint.engine.baseline import CRASHES
from roce_lint.engine.finding import CLEAN, INCOMPLETE
from roce_lint.loading.contents import as_bytes, contents_of, sum_of
from roce_lint.report import Options
from roce_lint.resources import resource_dir

if TYPE_CHECKING:
    from roce_lint.cli.run_options import RunOptions
    from roce_lint.loading.cache import Cache
    from roce_lint.pipeline import Report, Request, Run
    from roce_lint.settings import Settings

CHANCE = ("reader-crashed", "rule-crashed", "unreadable", "cache")
"""Kinds of diagnostics that may differ in another run over the same files."""

LONGEST = 64 << 20
"""Maximum characters of a kept answer."""

PLUGINS = ("roce_lint.nos", "roce_lint.rules")


def answer(run_options: RunOptions, options: AnswerOptions) -> int:
    """Check, or write the answer of an equal run again; return the exit status.

    Not kept: answers with rules of the site or of plug-ins, which can rest on anything; of runs
    that failed in part; and of files that changed shortly before the check or during it.
    """
    files_of(options)
    run_options.require_paths()
    settings = run_options.settings()
    store = _store(run_options, settings)
    if store is None:
        return judge(run_options, options)[0]
    began = time.time()
    beside = (
        *(str(path) for path in (settings.path,) if path),
        *(run_options.intent, run_options.links, options.baseline, options.compare),
    )
    contents = contents_of(run_options.paths, filter(None, beside))
    key = sum_of([contents.sha, *map(as_bytes, _around(run_options, options))])
    kept = store.answer(key)
    if kept is not None:
        status, written = json.loads(zlib.decompress(kept))
        return INCOMPLETE if not output.write_again(written) and status == CLEAN else status

    def prepare(request: Request, *given: Any, **named: Any) -> Run:
        from roce_lint.pipeline import Run  # noqa: PLC0415  (everything)

        return Run(replace(request, found=contents.found), *given, **named)

    with output.recorded() as record:
        status, report = judge(run_options, options, prepare=prepare)
    if _can_be_repeated(report, record) and contents.are_older(began):
        store.keep(key, zlib.compress(json.dumps([status, record]).encode(), 1))
    return status


def _store(run_options: RunOptions, settings: Settings) -> Cache | None:
    """The cache; None where the answer can rest on anything that is not hashed."""
    apart = run_options.no_cache or run_options.executor or "-" in run_options.paths
    site = run_options.rules or settings.catalog.profiles or settings.catalog.hardware
    if apart or site or any(entry_points(group=name) for name in PLUGINS):
        return None
    from roce_lint.loading.cache import open_cache  # noqa: PLC0415  (sqlite only where allowed)

    return open_cache()


def _around(run_options: RunOptions, options: AnswerOptions) -> Iterator[str]:
    """All that the answer rests on beside the files."""
    yield from (__version__, sys.version, *_program(), repr(run_options), repr(options))
    yield from (str(Path.cwd()), str(options.today or date.today()))  # noqa: DTZ011  (the user's day)
    yield repr(printing.detect_pipeline([]))
    yield from (printing.command_line(), os.environ.get("SOURCE_DATE_EPOCH", ""))
    yield from (printing.commit(Path(path)) for path in run_options.paths)
    yield from (repr(output.for_stream(Options(cwd=""), err=err)) for err in (False, True))


def _program() -> Iterator[str]:
    """Files of this program, with sizes and times."""
    own = Path(__file__).parent.parent
    for top in (own, resource_dir("rules"), resource_dir("templates")):
        for folder, folders, names in os.walk(top):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            for name in sorted(names):
                path = os.path.join(folder, name)  # noqa: PTH118
                state = os.lstat(path)  # an editor may leave a link to nothing
                yield f"{path} {state.st_size} {state.st_mtime_ns}"


def _can_be_repeated(report: Report, record: list[output.Written]) -> bool:
    """Whether another run over the same files would write the same."""
    chance = any(each.kind in CHANCE for each in report.diagnostics)
    chance = chance or any(each.rule in CRASHES for each in report.findings)
    size = sum(len(text) for _, _, text in record)
    return not chance and size <= LONGEST and all(kind != output.LOST for kind, _, _ in record)
