"""Plugin of pytest: `pytest --roce-lint configs` makes a test of every rule on every device.

A test fails where its rule has a finding on its device at or above `--roce-lint-fail-on` (default:
error), and is skipped where the rule could not be checked there. One more test, `read`, fails where
a file could not be read. Settings of the checked tree that weaken the result are listed at the end;
with `--roce-lint-isolated` they are ignored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from roce_lint.api.fabric import LoadedFabric
    from roce_lint.engine.finding import Diagnostic, Finding, Occurrence, UnknownGroup
    from roce_lint.pipeline.report import Report

LEVELS = ("error", "warning", "info")

_WEAKENED = pytest.StashKey["list[Diagnostic]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin."""
    group = parser.getgroup("roce-lint", "configurations of RoCE fabrics")
    group.addoption(
        "--roce-lint",
        action="append",
        default=[],
        metavar="PATH",
        help="Check the configurations below PATH: a test of every rule on every device.",
    )
    group.addoption(
        "--roce-lint-select", action="append", default=[], metavar="RULES",
        help="Check only rules whose id starts with ID (such as PFC or MTU001).",
    )  # fmt: skip
    group.addoption(
        "--roce-lint-fail-on", choices=LEVELS, default="error",
        help="Lowest severity that fails a test (default: error).",
    )  # fmt: skip
    group.addoption(
        "--roce-lint-isolated", action="store_true",
        help="Read configurations only: no settings, waivers, comments, cables of the tree.",
    )  # fmt: skip
    group.addoption(
        "--roce-lint-trusted-config", metavar="FILE",
        help="Like --roce-lint-isolated, but with these settings; not below PATH.",
    )  # fmt: skip


def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add a test for every rule and device."""
    paths = config.getoption("--roce-lint")
    if not paths:
        return
    import roce_lint  # noqa: PLC0415  (only who asks for it pays)

    level = config.getoption("--roce-lint-fail-on")
    try:
        fabric = _load(config, [str(config.invocation_params.dir / path) for path in paths])
        report = fabric.check(select=config.getoption("--roce-lint-select"))
    except roce_lint.RoceLintError as error:
        raise pytest.UsageError(str(error)) from None
    base = Path(report.base)
    node = _Fabric.from_parent(session, name="roce-lint", nodeid="roce-lint", path=base)
    config.stash[_WEAKENED] = fabric.weakened_by(fail_on=level)
    items.extend(_tests(node, report, level))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """List settings of the checked tree that weaken the result."""
    weakenings = config.stash.get(_WEAKENED, [])
    if weakenings:
        from roce_lint.report.wording import one_line  # noqa: PLC0415

        terminalreporter.section("weakened by the checked tree")
        for each in weakenings:
            terminalreporter.line(one_line(f"{each.file}: {each.kind}: {each.message}"))


def _load(config: pytest.Config, paths: list[str]) -> LoadedFabric:
    import roce_lint  # noqa: PLC0415
    from roce_lint.errors import UsageError  # noqa: PLC0415
    from roce_lint.text.files import is_below  # noqa: PLC0415

    settings = config.getoption("--roce-lint-trusted-config")
    if settings is not None:
        settings = str(config.invocation_params.dir / settings)
        if is_below(settings, paths):
            raise UsageError(
                f"--roce-lint-trusted-config {settings}: is inside the checked tree",
                hint="anyone who may change the tree could change these settings",
            )
    isolated = config.getoption("--roce-lint-isolated") or settings is not None
    return roce_lint.load(*paths, settings=settings, isolated=isolated)


def _tests(node: _Fabric, report: Report, level: str) -> Iterator[pytest.Item]:
    from roce_lint.engine.finding import Severity  # noqa: PLC0415

    least = Severity[level.upper()]
    found: dict[tuple[str, str], list[tuple[Finding, Occurrence]]] = defaultdict(list)
    for finding in report.findings:
        if finding.suppressed is None and finding.severity >= least:
            for here in finding.occurrences:
                found[finding.rule, here.device].append((finding, here))
    unknown: dict[tuple[str, str], UnknownGroup] = {}
    for group in report.unknowns:
        unknown.setdefault((group.rule, group.device), group)
    unread = [item for item in report.diagnostics if item.incomplete]
    yield _Read.from_parent(node, name="read", unread=unread)
    devices = [device.name for device in report.devices]
    elsewhere = sorted({device for _, device in found} - set(devices))
    rules = sorted({*report.rules, *(rule for rule, _ in found)})
    for device in (*devices, *elsewhere):
        for rule in rules:
            yield _Rule.from_parent(
                node,
                name=f"{rule}[{device}]",
                found=found.get((rule, device), []),
                unknown=unknown.get((rule, device)),
            )


class _Fabric(pytest.Collector):
    """The checked fabric."""

    def collect(self) -> list[pytest.Item]:
        """Return nothing: the tests are made once the fabric was checked."""
        return []


class _RuleError(Exception):
    """The failure of a test, in the words of the linter."""


class _Test(pytest.Item):
    """A test whose failure is a text."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], **_: Any) -> Any:  # type: ignore[override]
        """The text alone: no Python line is relevant."""
        if isinstance(excinfo.value, _RuleError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The heading of a failure."""
        return self.path, None, self.name


class _Read(_Test):
    """A test that everything could be read."""

    def __init__(self, *, unread: list[Diagnostic], **given: Any) -> None:
        super().__init__(**given)
        self._unread = unread

    def runtest(self) -> None:
        """Fail if anything could not be read."""
        if self._unread:
            raise _RuleError("\n".join(f"{item.file}: {item.message}" for item in self._unread))


class _Rule(_Test):
    """One rule on one device."""

    def __init__(
        self,
        *,
        found: list[tuple[Finding, Occurrence]],
        unknown: UnknownGroup | None,
        **given: Any,
    ) -> None:
        super().__init__(**given)
        self._found = found
        self._unknown = unknown

    def runtest(self) -> None:
        """Fail if the rule has a finding on the device."""
        if self._found:
            raise _RuleError("\n".join(_describe(*each) for each in self._found))
        if self._unknown is not None:
            pytest.skip(f"unknown: {self._unknown.missing}")


def _describe(finding: Finding, here: Occurrence) -> str:
    from roce_lint.report.wording import one_line  # noqa: PLC0415

    lines = [f"{finding.severity.label} {finding.rule} {one_line(here.message or finding.message)}"]
    for place in here.locations:
        where = f"{place.file}:{place.line}" if place.line else place.file
        lines.append(f"    {one_line(where)}: {one_line(place.text)}")
    lines.append(f"    {one_line(finding.consequence)}")
    return "\n".join(lines)
