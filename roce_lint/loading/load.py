"""Paths in, devices out: discover, take in, group, read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from roce_lint.budget import GENEROUS, Limits, watch_budgets
from roce_lint.engine.finding import Diagnostic, SkippedFile
from roce_lint.loading.decode import RATIO_FROM, RATIO_LIMIT
from roce_lint.loading.discover import BUNDLE, Discovery, discover
from roce_lint.loading.file_part import FilePart, Memory
from roce_lint.loading.group import Group, group
from roce_lint.loading.host_copies import HostCopies
from roce_lint.loading.intake import FileRule, Intake, check_rules
from roce_lint.loading.pool import Read, Spread, read_all, take_all
from roce_lint.loading.serialization import key
from roce_lint.model.device import Device, Role
from roce_lint.model.sourced import REMAKE
from roce_lint.phases import advance, phase

if TYPE_CHECKING:  # each only where it is used
    from roce_lint.loading.bundle import Bundle
    from roce_lint.loading.cache import Cache


@dataclass(slots=True)
class LoadResult:
    """All devices that could be read, and diagnostics about the files that could not."""

    devices: list[Device] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    control: dict[str, Path] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory)  # files that cannot be read again
    skipped: list[SkippedFile] = field(default_factory=list)
    base: str = "."
    found: Discovery = field(default_factory=Discovery)
    taken: Intake = field(default_factory=Intake)
    read: list[tuple[Group, Read]] = field(default_factory=list)
    _by_key: dict[Hashable, Device] = field(default_factory=dict)  # made when a twin is requested

    def forget_files(self) -> None:
        """Drop all about files that only `twin` and bundles need."""
        self.found.files.clear()
        self.taken.parts.clear()
        self.read.clear()

    def twin(self, wanted: Hashable) -> Device | None:
        """A copy of the device read from the same files, to be checked separately: attributes of
        the whole device, such as its role, are copied; all else is shared.
        """
        if not self._by_key:
            self._by_key = {
                key(group): read.device
                for group, read in self.read
                if read.device is not None and not read.diagnostics
            }
        known = self._by_key.get(wanted)
        if known is None:
            return None
        remake = REMAKE[Device]
        made: Device = remake.make(*remake.values(known))
        made.at = dict(known.at)
        return made


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
    meanwhile: Callable[[], object] | None = None,
    limits: Limits = GENEROUS,
    beside: LoadResult | None = None,
    cluster: Spread | None = None,
    found: Discovery | None = None,
) -> LoadResult:
    """Load every device below the paths. With `cache`, known devices come from there.

    Devices of `beside`, which must still be unused, are not parsed again where the files have the
    same names and contents. `meanwhile` is called once, when workers have begun to read or before
    the reading. Devices are parsed by `cluster`, if there is one. `found` is what is below the
    paths, where that is known.

    Raises:
        UsageError: a path does not exist.
        SettingsError: a rule names a NOS without a reader.
    """
    check_rules(rules)
    bundles: dict[str, Bundle] = {}
    if any(path.endswith(BUNDLE) for path in paths):
        from roce_lint.loading.bundle import open_bundles  # noqa: PLC0415  (only where named)

        with phase("reading bundles"):
            bundles = open_bundles(paths, limits)
    with phase("finding files"):
        known = {path: each.found for path, each in bundles.items()}
        found = found or discover(paths, stdin, known)
    memory = Memory()
    taken = _take(found, rules, jobs, bundles)
    _last_of_each(taken, memory)
    loaded = LoadResult(
        diagnostics=[*found.diagnostics, *taken.diagnostics],
        control=found.control,
        memory=memory,
        skipped=found.skipped + taken.skipped,
        base=found.base,
        found=found,
        taken=taken,
    )
    for each in bundles.values():
        each.lend(memory, found.base)
    with phase("grouping files"):
        groups, diagnostics = group(taken.parts, found.base_name)
    loaded.diagnostics += diagnostics
    loaded.skipped += _dropped_parts(taken.parts, chain(*(each.files for each in groups)))
    shared = {
        n: Read(made) for n, g in enumerate(groups) if beside and (made := beside.twin(key(g)))
    }
    for each in bundles.values():
        shared.update(each.reads(groups))
    _read(groups, shared, jobs, loaded, meanwhile, limits, cluster, cache=cache)
    if not groups and not any(entry.incomplete for entry in loaded.diagnostics):
        loaded.diagnostics.append(_empty_folder(len(loaded.skipped) + len(taken.diagnostics)))
    return loaded


@phase("identifying files")
def _take(
    found: Discovery,
    rules: tuple[FileRule, ...],
    jobs: int,
    bundles: Mapping[str, Bundle],
) -> Intake:
    taken = Intake()
    done = 0

    def tick(count: int) -> None:
        nonlocal done
        before, done = done, done + count
        if done // PROGRESS_EVERY > before // PROGRESS_EVERY:
            advance("identifying", done, len(found.files))

    advance("identifying", 0, len(found.files))
    left = KEPT
    ones = take_all([file for file in found.files if file.prefix is None], rules, jobs, tick)
    for file in found.files:
        if file.prefix is not None:
            taken.add(bundles[file.name].take(file.prefix))
            continue
        one = next(ones)
        for part in one.parts if left > 0 else ():
            left -= part.size
        if left <= 0:
            one.forget_texts()
        taken.add(_take_in(file.name, one, taken.beyond))
    next(ones, None)  # releases the workers
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


def _last_of_each(taken: Intake, memory: Memory) -> None:
    """Keep, of archive members with the same name, only the last, as if unpacked."""
    by_name: dict[Hashable, FilePart] = {}
    for number, part in enumerate(taken.parts):
        memory.keep(part)
        if part.placing is not None:  # one of the texts of a file, even if equal to another
            by_name[number] = part
            continue
        if part.name in by_name and part.packed is not None:
            message = "occurs more than once in the archive; the last one counts"
            taken.diagnostics.append(Diagnostic(part.name, "archive", message, incomplete=False))
        by_name[part.name] = part
    taken.skipped += _dropped_parts(taken.parts, by_name.values())
    taken.parts = list(by_name.values())


@dataclass(slots=True)
class _Reader:
    """Reads groups: from the cache, else their files."""

    store: Cache | None
    jobs: int
    limits: Limits
    cluster: Spread | None
    total: int
    done: int = 0
    fresh: list[tuple[Group, bytes]] = field(default_factory=list)  # not in the cache yet

    def tick(self, count: int) -> None:
        """Report further groups that are read."""
        self.done += count
        advance("reading", self.done, self.total)

    def read(
        self, groups: list[Group], meanwhile: Callable[[], object] | None = None
    ) -> Iterator[Read]:
        """Read groups, in order; `meanwhile` as for `read_all`."""
        packed = self.store is not None
        known = self.store.get(groups) if self.store is not None else {}
        self.done += len(known)
        new = [entry for number, entry in enumerate(groups) if number not in known]
        reads = read_all(
            new,
            self.jobs,
            self.tick,
            meanwhile,
            limits=self.limits,
            packed=packed,
            cluster=self.cluster,
        )
        for number, entry in enumerate(groups):
            read = Read(known[number]) if number in known else next(reads)
            if read.packed is not None and not read.diagnostics:
                self.fresh.append((entry, read.packed))
            yield read
        next(reads, None)  # releases the workers


def _settle(copies: HostCopies, groups: list[Group], reader: _Reader) -> dict[int, Read]:
    """Read the models of equal hosts, and the samples that they are compared with."""
    models = [model.group for model in copies.models]
    samples = [number for model in copies.models for number in model.samples]
    reads = list(reader.read([*models, *(groups[n] for n in samples)])) if models else []
    devices = [read.device if not read.diagnostics else None for read in reads]
    sampled = dict(zip(samples, devices[len(models) :], strict=True))
    copies.settle(devices[: len(models)], sampled)
    return dict(zip(samples, reads[len(models) :], strict=True))


@phase("reading devices")
def _read(
    groups: list[Group],
    shared: dict[int, Read],
    jobs: int,
    loaded: LoadResult,
    meanwhile: Callable[[], object] | None,
    limits: Limits,
    cluster: Spread | None,
    *,
    cache: bool,
) -> None:
    store = None
    if cache:
        from roce_lint.loading.cache import open_cache  # noqa: PLC0415  (sqlite only if asked)

        store = open_cache()
    copies = HostCopies({n: entry for n, entry in enumerate(groups) if n not in shared})
    total = len(groups) + len(copies.models)
    reader = _Reader(store, jobs, limits, cluster, total, len(shared))
    known = shared | _settle(copies, groups, reader)
    rest = [each for n, each in enumerate(groups) if n not in known and n not in copies]
    reads = reader.read(rest, meanwhile)
    for number, entry in enumerate(groups):
        if number in copies:
            read = Read(copies.make(number))
            reader.tick(1)
        else:
            read = known.pop(number) if number in known else next(reads)
        loaded.read.append((entry, read))
        loaded.diagnostics += read.diagnostics
        for part in entry.files:
            part.file = None
        if read.device is None:
            continue
        read.packed = None
        if entry.role is not None:
            read.device.role = Role(entry.role)
        loaded.devices.append(read.device)
    next(reads, None)
    if store is not None:
        store.put(reader.fresh)
        if store.remark:
            remark = Diagnostic("the cache", "cache", store.remark, incomplete=False)
            loaded.diagnostics.append(remark)


def _dropped_parts(parts: list[FilePart], kept: Iterable[FilePart]) -> list[SkippedFile]:
    """The parts that were dropped in favour of others of their device."""
    used = {id(part) for part in kept}
    reason = "conflicts with another file of the same device"
    return [SkippedFile(part.name, reason) for part in parts if id(part) not in used]


def _empty_folder(skipped: int) -> Diagnostic:
    """Report that nothing was found: a wrong folder must not look like a clean one."""
    message = "no configuration was found"
    if skipped:
        message += " in the only file" if skipped == 1 else f" in {skipped} files"
    return Diagnostic(".", NOTHING, message)
