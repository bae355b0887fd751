"""Paths in, devices out: discover, take in, group, read."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path

from roce_lint.budget import GENEROUS, Limits, watch_budgets
from roce_lint.engine.finding import Diagnostic, SkippedFile
from roce_lint.loading.decode import RATIO_FROM, RATIO_LIMIT
from roce_lint.loading.discover import Discovery, discover
from roce_lint.loading.file_part import FilePart, Memory
from roce_lint.loading.group import Group, group
from roce_lint.loading.intake import FileRule, Intake, check_rules
from roce_lint.loading.pool import Read, read_all, take_all
from roce_lint.loading.serialization import key
from roce_lint.model.device import Device, Role
from roce_lint.model.sourced import REMAKE
from roce_lint.phases import phase


@dataclass(slots=True)
class LoadResult:
    """All devices that could be read, and diagnostics about the files that could not."""

    devices: list[Device] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    control: dict[str, Path] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory)  # files that cannot be read again
    skipped: list[SkippedFile] = field(default_factory=list)
    base: str = "."
    read: list[tuple[Group, Device]] = field(default_factory=list)  # without a remark
    _by_key: dict[Hashable, Device] = field(default_factory=dict)  # made when a twin is requested

    def twin(self, wanted: Hashable) -> Device | None:
        """A copy of the device read from the same files, to be checked separately: attributes of
        the whole device, such as its role, are copied; all else is shared.
        """
        if not self._by_key:
            self._by_key = {key(group): device for group, device in self.read}
        known = self._by_key.get(wanted)
        if known is None:
            return None
        remake = REMAKE[Device]
        made: Device = remake.make(*remake.values(known))
        made.at = dict(known.at)
        return made


Progress = Callable[[str, int, int], None]

NOTHING = "nothing-found"
"""Kind of the diagnostic that there is no configuration at all."""

KEPT = 3 << 20
"""Bytes of files whose texts are cached from identification until they are parsed."""

PROGRESS_EVERY = 64
"""Files after which progress is reported."""


@watch_budgets()
def load(  # noqa: PLR0913  (what a caller may choose, each by its name)
    paths: tuple[str, ...],
    *,
    stdin: str | None = None,
    jobs: int = 0,
    rules: tuple[FileRule, ...] = (),
    cache: bool = False,
    progress: Progress | None = None,
    meanwhile: Callable[[], object] | None = None,
    limits: Limits = GENEROUS,
    beside: LoadResult | None = None,
) -> LoadResult:
    """Load every device below the paths. With `cache`, known devices come from there.

    Devices of `beside`, which must still be unused, are not parsed again where the files have the
    same names and contents. `meanwhile` is called once, when workers have begun to read or before
    the reading.

    Raises:
        UsageError: a path does not exist.
        SettingsError: a rule names a NOS without a reader.
    """
    check_rules(rules)
    with phase("finding files"):
        found = discover(paths, stdin)
    taken = _take(found, rules, jobs, progress)
    loaded = LoadResult(
        diagnostics=[*found.diagnostics, *taken.diagnostics],
        control=found.control,
        skipped=found.skipped + taken.skipped,
        base=found.base,
    )
    with phase("grouping files"):
        groups, diagnostics = group(_last_of_each(taken, loaded), found.base_name)
    loaded.diagnostics += diagnostics
    loaded.skipped += _dropped_parts(taken.parts, groups)
    shared = {n: made for n, g in enumerate(groups) if beside and (made := beside.twin(key(g)))}
    _read(groups, shared, jobs, loaded, progress, meanwhile, limits, cache=cache)
    if not groups and not any(entry.incomplete for entry in loaded.diagnostics):
        loaded.diagnostics.append(_empty_folder(len(loaded.skipped) + len(taken.diagnostics)))
    return loaded


@phase("identifying files")
def _take(
    found: Discovery, rules: tuple[FileRule, ...], jobs: int, progress: Progress | None
) -> Intake:
    taken = Intake()
    done = 0

    def tick(count: int) -> None:
        nonlocal done
        before, done = done, done + count
        if progress is not None and done // PROGRESS_EVERY > before // PROGRESS_EVERY:
            progress("identifying", done, len(found.files))

    if progress is not None:
        progress("identifying", 0, len(found.files))

    left = KEPT
    for file, one in zip(found.files, take_all(found.files, rules, jobs, tick), strict=True):
        for part in one.parts if left > 0 else ():
            left -= part.size
        if left <= 0:
            one.forget_texts()
        taken.add(_take_in(file.name, one, taken.beyond))
    return taken


def _take_in(name: str, one: Intake, before: int) -> Intake:
    """Results of one file. Packed files are dropped once the total excess of the run is over the
    limit: many small ones would cost as much as a forbidden large one.
    """
    if not one.beyond or before + one.beyond <= RATIO_FROM:
        return one
    refused = Intake(beyond=one.beyond)
    why = f"with those before it, unpacks to more than {RATIO_LIMIT} times its size"
    refused.remark(name, "over-limit", f"refused: {why}")
    return refused


def _last_of_each(taken: Intake, loaded: LoadResult) -> list[FilePart]:
    """The parts; of archive members with the same name only the last, as if unpacked."""
    by_name: dict[Hashable, FilePart] = {}
    for number, part in enumerate(taken.parts):
        loaded.memory.keep(part)
        if part.placing is not None:  # one of the texts of a file, even if equal to another
            by_name[number] = part
            continue
        if part.name in by_name and part.packed is not None:
            message = "occurs more than once in the archive; the last one counts"
            loaded.diagnostics.append(Diagnostic(part.name, "archive", message, incomplete=False))
        by_name[part.name] = part
    return list(by_name.values())


@phase("reading devices")
def _read(
    groups: list[Group],
    shared: dict[int, Device],
    jobs: int,
    loaded: LoadResult,
    progress: Progress | None,
    meanwhile: Callable[[], object] | None,
    limits: Limits,
    *,
    cache: bool,
) -> None:
    store = None
    if cache:
        from roce_lint.loading.cache import open_cache  # noqa: PLC0415  (sqlite only if asked)

        store = open_cache()
    known = {**(store.get(groups) if store is not None else {}), **shared}
    done = len(known)

    def tick(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress("reading", done, len(groups))

    new = [entry for number, entry in enumerate(groups) if number not in known]
    reads = read_all(new, jobs, tick, meanwhile, limits=limits, packed=store is not None)
    fresh: list[tuple[Group, bytes]] = []
    for number, entry in enumerate(groups):
        read = Read(known[number]) if number in known else next(reads)
        loaded.diagnostics += read.diagnostics
        for part in entry.files:
            part.file = None
        if read.device is None:
            continue
        if read.packed is not None and not read.diagnostics:
            fresh.append((entry, read.packed))
        if entry.role is not None:
            read.device.role = Role(entry.role)
        loaded.devices.append(read.device)
        if not read.diagnostics:
            loaded.read.append((entry, read.device))
    next(reads, None)  # releases the workers
    if store is not None:
        store.put(fresh)
        if store.remark:
            remark = Diagnostic("the cache", "cache", store.remark, incomplete=False)
            loaded.diagnostics.append(remark)


def _dropped_parts(parts: list[FilePart], groups: list[Group]) -> list[SkippedFile]:
    """The parts that were dropped in favour of others of their device."""
    used = {id(part) for each in groups for part in each.files}
    reason = "conflicts with another file of the same device"
    return [SkippedFile(part.name, reason) for part in parts if id(part) not in used]


def _empty_folder(skipped: int) -> Diagnostic:
    """Report that nothing was found: a wrong folder must not look like a clean one."""
    message = "no configuration was found"
    if skipped:
        message += " in the only file" if skipped == 1 else f" in {skipped} files"
    return Diagnostic(".", NOTHING, message)
