"""A whole pull: all devices, so many at a time, and what became of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from typing import Any

from roce_lint.errors import DetectionError
from roce_lint.inventory.entry import Entry
from roce_lint.loading.identify import identify
from roce_lint.nos.base import Nos
from roce_lint.nos.pull import Command, Kind
from roce_lint.nos.registry import all_nos
from roce_lint.pull import collector
from roce_lint.pull.dialog import LARGEST, Limits
from roce_lint.pull.failure import CLOSED, LOGIN_REFUSED, NOT_TRIED, Failure
from roce_lint.pull.gate import Gate
from roce_lint.pull.login import Access
from roce_lint.pull.snapshot import Snapshot, stamp
from roce_lint.pull.ssh import Answer, DeviceAnswers, pull_host

AGAIN = (0.5, 2.0)
"""Seconds before a connection is tried again that was closed before anybody logged in: a server
that takes only so many at a time closes those that are too many.
"""


@dataclass(frozen=True)
class Job:
    """A device, and what is still to be asked of it."""

    entry: Entry
    nos: Nos
    commands: tuple[Command, ...]
    files: tuple[str, ...]


@dataclass
class Result:
    """What became of a device."""

    name: str
    commands: int = 0
    failure: Failure | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Pull:
    """How a run is done; times in seconds."""

    access: Access
    snapshot: Snapshot
    jobs: int
    timeout: float
    device_timeout: float
    most_refused: int
    largest: int = LARGEST


def plan_pull(entries: Iterable[Entry], kinds: Iterable[Kind], default: str | None) -> list[Job]:
    """What is to be asked of whom; an entry without a system is of the default one.

    A device that cannot be asked has no commands and says why in its fault.
    """
    wanted = tuple(kinds)
    jobs = []
    for given in entries:
        nos = all_nos().get(given.nos or default or "")
        entry = given
        if nos is None and entry.fault is None:
            entry = replace(entry, fault="no system is declared: `nos`, or --nos for all")
        pulled = nos.pulled if nos is not None else None
        if nos is not None and pulled is None and entry.fault is None:
            entry = replace(entry, fault=f"{nos.name} cannot be pulled")
        commands = pulled.of(wanted) if pulled is not None else ()
        files = (collector.FILE,) if pulled is not None and pulled.script else ()
        jobs.append(Job(entry, nos or next(iter(all_nos().values())), commands, files))
    return jobs


def run(pull: Pull, jobs: list[Job], tell: Callable[[Result], None]) -> list[Result]:
    """Ask all devices; each result is told when it is there. The manifest is written at the end,
    also of a run that is interrupted.

    Raises:
        UsageError: the manifest cannot be written.
    """
    gate = Gate(pull.most_refused)
    results: list[Result] = []
    executor = ThreadPoolExecutor(max_workers=min(pull.jobs, max(len(jobs), 1)))
    try:
        futures: list[Future[Result]] = [executor.submit(_one, pull, job, gate) for job in jobs]
        for done in as_completed(futures):
            results.append(done.result())
            tell(results[-1])
    finally:
        gate.stop()
        executor.shutdown(wait=False, cancel_futures=True)
        pull.snapshot.finish()
    return results


def _one(pull: Pull, job: Job, gate: Gate) -> Result:
    result = Result(job.entry.name)
    if job.entry.fault is not None:
        cause, _, about = job.entry.fault.partition(": ")
        result.failure = Failure(cause, about)
        _note_failure(pull.snapshot, job, result.failure)
        return result
    name = job.entry.name
    commands = tuple(c for c in job.commands if not pull.snapshot.has(name, c.file))
    scripts = [file for file in job.files if not pull.snapshot.has(name, file)]
    if not commands and not scripts:
        result.notes.append("is there already")
        return result
    if not gate.enter():
        result.failure = Failure(NOT_TRIED, "too many logins were refused")
        _note_failure(pull.snapshot, job, result.failure)
        return result
    asked = DeviceAnswers([])
    try:
        asked = _ask(pull, job, commands)
    finally:
        refused = asked.failure is not None and asked.failure.cause == LOGIN_REFUSED
        gate.leave(refused=refused, logged_in=asked.logged_in)
    _keep(pull.snapshot, job, asked, result)
    return result


def _note_failure(snapshot: Snapshot, job: Job, failure: Failure) -> None:
    """A device that was not even tried stands in the manifest too: nobody shall miss it there."""
    known = snapshot.devices.get(job.entry.name, {})
    snapshot.devices[job.entry.name] = {
        "host": job.entry.host,
        "nos": job.nos.name,
        "commands": known.get("commands", {}),
        "failure": str(failure),
    }


def _ask(pull: Pull, job: Job, commands: tuple[Command, ...]) -> DeviceAnswers:
    until = time.monotonic() + pull.device_timeout
    limits = Limits(pull.timeout, until, pull.largest)
    asked = DeviceAnswers([])
    for nap in (*AGAIN, None):
        asked = pull_host(job.entry, job.nos, commands, pull.access, limits)
        again = asked.failure is not None and asked.failure.cause == CLOSED and not asked.logged_in
        if not again or nap is None or time.monotonic() + nap > until:
            break
        time.sleep(nap)
    return asked


def _keep(snapshot: Snapshot, job: Job, asked: DeviceAnswers, result: Result) -> None:
    """Write what was answered, and note the rest."""
    name = job.entry.name
    known = snapshot.devices.get(name, {})
    told: dict[str, Any] = dict(known.get("commands", {}))
    try:
        for answer in asked.answers:
            other = _another(answer, job.nos)
            if other is not None:
                asked.failure = Failure(
                    "another system than declared", f"{other}, not {job.nos.name}"
                )
            told[answer.command.text] = _write(snapshot, name, answer)
            result.commands += answer.known
            if not answer.known:
                result.notes.append(f"does not know {answer.command.text!r}")
        for file, data in asked.files.items():
            snapshot.write_bytes(name, file, data)
            result.commands += 1
    except OSError as error:
        asked.failure = Failure("cannot be written", error.strerror or "")
    result.failure = asked.failure
    snapshot.devices[name] = {
        "host": job.entry.host,
        "nos": job.nos.name,
        "commands": told,
        "failure": str(asked.failure) if asked.failure is not None else None,
    }


def _write(snapshot: Snapshot, name: str, answer: Answer) -> dict[str, Any]:
    told: dict[str, Any] = {"time": stamp(answer.began), "seconds": round(answer.seconds, 3)}
    if not answer.known:
        return {**told, "status": "not known to this release"}
    file, sha256 = snapshot.write(name, answer.command, answer.text, answer.began)
    return {**told, "status": "ok", "file": file, "sha256": sha256}


def _another(answer: Answer, nos: Nos) -> str | None:
    """The system that an answer is of, where it is surely not of the declared one."""
    if not answer.command.needed:
        return None
    try:
        identify("answer", answer.text, only=nos.name)
    except DetectionError:
        try:
            found = identify("answer", f"# command: {answer.command.text}\n{answer.text}").nos
        except DetectionError:
            return None
        return found if found != nos.name else None
    return None
