"""A complete pull: all devices in parallel with limited logins, and the result of each."""

from __future__ import annotations

import threading
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
from roce_lint.pull import ssh
from roce_lint.pull.dialog import CLOSED, LARGEST, LOGIN_REFUSED, NOT_TRIED, Failure, Limits
from roce_lint.pull.login import Access
from roce_lint.pull.snapshot import Snapshot, stamp
from roce_lint.pull.ssh import Answer, DeviceAnswers, pull_host

# Prevents account lockouts from a wrong password: logins stop after too many refusals.


class Gate:
    """Limits concurrent logins, so that no more than `most` can be refused.

    Until a first login succeeds the password may be wrong, so no more than `most` are tried at a
    time; then all are. `most` consecutive refused logins, without a success between them, end the
    run.
    """

    def __init__(self, most: int):
        self._most = most
        self._refused = 0
        self._inside = 0
        self._trusted = False
        self._stopped = False
        self._changed = threading.Condition()

    def enter(self) -> bool:
        """Wait for a turn; False once the run has ended."""
        with self._changed:
            self._changed.wait_for(
                lambda: (
                    self._stopped
                    or self._trusted
                    or self._refused >= self._most
                    or self._inside < self._most - self._refused
                )
            )
            if self._stopped or self._refused >= self._most:
                return False
            self._inside += 1
            return True

    def leave(self, *, refused: bool, logged_in: bool) -> None:
        """Report the result of a login: refused, successful, or neither."""
        with self._changed:
            self._inside -= 1
            if self._refused >= self._most:
                return  # too many is too many, also where others were still pending
            if refused:
                self._refused += 1
            elif logged_in:
                self._trusted, self._refused = True, 0
            self._changed.notify_all()

    def stop(self) -> None:
        """Let no further login begin."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()


# The pull.

AGAIN = (0.5, 2.0)
"""Seconds before retrying a connection closed before login, as by a connection limit."""


@dataclass(frozen=True)
class Job:
    """A device, and the commands and files to collect from it."""

    entry: Entry
    nos: Nos
    commands: tuple[Command, ...]
    files: tuple[str, ...]


@dataclass
class Result:
    """Result of one device."""

    name: str
    commands: int = 0
    failure: Failure | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Pull:
    """Parameters of a run; times in seconds."""

    access: Access
    snapshot: Snapshot
    jobs: int
    timeout: float
    device_timeout: float
    most_refused: int
    largest: int = LARGEST


def plan_pull(entries: Iterable[Entry], kinds: Iterable[Kind], default: str | None) -> list[Job]:
    """The jobs of a run; an entry without a system is of the default one.

    A device that cannot be collected from has no commands, and a fault.
    """
    wanted = tuple(kinds)
    jobs = []
    for given in entries:
        nos = all_nos().get(given.nos or default or "")
        entry = given
        if nos is None and entry.fault is None:
            entry = replace(entry, fault="no system is declared: `nos`, or --default-nos for all")
        pulled = nos.pulled if nos is not None else None
        if nos is not None and pulled is None and entry.fault is None:
            entry = replace(entry, fault=f"{nos.name} is not supported by pull")
        commands = pulled.of(wanted) if pulled is not None else ()
        files = (ssh.FILE,) if pulled is not None and pulled.script else ()
        jobs.append(Job(entry, nos or next(iter(all_nos().values())), commands, files))
    return jobs


def run(pull: Pull, jobs: list[Job], report: Callable[[Result], None]) -> list[Result]:
    """Collect from all devices; each result is reported when it is complete. The manifest is
    written at the end, even of an interrupted run.

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
            report(results[-1])
    finally:
        gate.stop()
        executor.shutdown(wait=False, cancel_futures=True)
        pull.snapshot.finish()
    return results


def _one(pull: Pull, job: Job, gate: Gate) -> Result:
    name = job.entry.name
    result = Result(name)
    if job.entry.fault is not None:
        cause, _, about = job.entry.fault.partition(": ")
        result.failure = Failure(cause, about)
        _note_result(pull.snapshot, job, result)
        return result
    commands = tuple(c for c in job.commands if not pull.snapshot.has(name, c.file))
    scripts = [file for file in job.files if not pull.snapshot.has(name, file)]
    if not commands and not scripts:
        result.notes.append("already collected")
        return result
    if not gate.enter():
        result.failure = Failure(NOT_TRIED, "too many logins were refused")
        _note_result(pull.snapshot, job, result)
        return result
    answers = DeviceAnswers([])
    try:
        answers = _collect(pull, job, commands)
    finally:
        refused = answers.failure is not None and answers.failure.cause == LOGIN_REFUSED
        gate.leave(refused=refused, logged_in=answers.logged_in)
    _keep(pull.snapshot, job, answers, result)
    return result


def _note_result(
    snapshot: Snapshot, job: Job, result: Result, commands: dict[str, Any] | None = None
) -> None:
    """Record further answers and a failure; a device that was not tried is recorded, too."""
    known = snapshot.devices.get(job.entry.name, {})
    snapshot.devices[job.entry.name] = {
        "host": job.entry.host,
        "nos": job.nos.name,
        "commands": {**known.get("commands", {}), **(commands or {})},
        "failure": str(result.failure) if result.failure is not None else None,
    }


def _collect(pull: Pull, job: Job, commands: tuple[Command, ...]) -> DeviceAnswers:
    until = time.monotonic() + pull.device_timeout
    limits = Limits(pull.timeout, until, pull.largest)
    answers = DeviceAnswers([])
    for nap in (*AGAIN, None):
        answers = pull_host(job.entry, job.nos, commands, pull.access, limits)
        closed = answers.failure is not None and answers.failure.cause == CLOSED
        if not closed or answers.logged_in or nap is None or time.monotonic() + nap > until:
            break
        time.sleep(nap)
    return answers


def _keep(snapshot: Snapshot, job: Job, answers: DeviceAnswers, result: Result) -> None:
    """Write the answers, and record the rest."""
    name = job.entry.name
    entry: dict[str, Any] = {}
    try:
        for answer in answers.answers:
            other = _another(answer, job.nos)
            if other is not None:
                answers.failure = Failure(
                    "system differs from the declared one", f"{other}, not {job.nos.name}"
                )
            entry[answer.command.text] = _write(snapshot, name, answer)
            result.commands += answer.known
            if not answer.known:
                result.notes.append(f"unknown command: {answer.command.text!r}")
        for file, data in answers.files.items():
            snapshot.write_bytes(name, file, data)
            result.commands += 1
    except OSError as error:
        answers.failure = Failure("cannot be written", error.strerror or "")
    result.failure = answers.failure
    _note_result(snapshot, job, result, entry)


def _write(snapshot: Snapshot, name: str, answer: Answer) -> dict[str, Any]:
    entry: dict[str, Any] = {"time": stamp(answer.began), "seconds": round(answer.seconds, 3)}
    if not answer.known:
        return {**entry, "status": "unknown to this release"}
    file, sha256 = snapshot.write(name, answer.command, answer.text, answer.began)
    return {**entry, "status": "ok", "file": file, "sha256": sha256}


def _another(answer: Answer, nos: Nos) -> str | None:
    """The system of an answer that is certainly not from the declared one."""
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
