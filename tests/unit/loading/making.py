"""Small files of all kinds, and runs over them, for the tests of loading."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from roce_lint.engine.finding import Diagnostic
from roce_lint.loading.file_part import FilePart, pack
from roce_lint.loading.identify import Identity
from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings
from roce_lint.text.source import digest


def eos(name: str | None = "leaf1", mtu: object = 9214) -> str:
    """A configuration of exactly one NOS; the MTU is on line 5 (4 without a name)."""
    hostname = "" if name is None else f"hostname {name}\n"
    return (
        "! device: x (DCS-7060X6-64PE, EOS-4.32.2F)\n!\n"
        f"{hostname}interface Ethernet1\n   mtu {mtu}\n   qos trust dscp\nend\n"
    )


def nxos(name: str | None = "leaf1", *, time: str = "", mtu: object = 9216) -> str:
    """The same of another NOS; `time` goes into its heading."""
    heading = f"!Time: {time}\n" if time else ""
    hostname = "" if name is None else f"hostname {name}\n"
    return (
        f"!Command: show running-config\n{heading}version 10.3(2)\n{hostname}"
        f"interface Ethernet1/1\n  mtu {mtu}\n"
    )


PAUSE = "Pause parameters for {port}:\nAutonegotiate:\toff\nRX:\t\toff\nTX:\t\toff\n"
"""A command output of a host."""


def put(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder; return the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def tar(files: Mapping[str, str | bytes], mode: str = "w") -> bytes:
    """A tar with these members (mode `w:gz` packs it)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zipped(files: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip with these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def part(
    name: str,
    text: str = "",
    nos: str = "eos",
    source: str = "running-config",
    *,
    hostname: str | None = None,
    host: str | None = None,
    **given: object,
) -> FilePart:
    """An identified file that is kept in memory."""
    folder, slash, leaf = name.rpartition("/")
    args = given.pop("args", {})
    data = text.encode()
    return FilePart(
        name, None, Identity(nos, source, args, host), digest(data), len(data),
        folder if slash else "", leaf, hostname=hostname, packed=pack(data), **given,
    )  # fmt: skip


def check(*paths: Path | str, settings: Settings | None = None, **given: object) -> Report:
    """One run without a cache."""
    request = Request(paths=tuple(map(str, paths)), cache=False, **given)
    return run(request, settings or Settings())


def diagnostics_of(report: Report) -> list[tuple[str, int | None, str, bool]]:
    """Diagnostics as file, line, kind, and whether the result is incomplete because of it."""
    return [(d.file, d.line, d.kind, d.incomplete) for d in report.diagnostics]


def names(report: Report) -> list[str]:
    """The devices that were read."""
    return [device.name for device in report.devices]


def message(report: Report) -> str:
    """Message of the only diagnostic."""
    (diagnostic,) = report.diagnostics
    assert isinstance(diagnostic, Diagnostic)
    return diagnostic.message
