"""`roce-lint read`: read configurations into a bundle."""

from __future__ import annotations

from pathlib import Path

import click

from roce_lint.cli import output
from roce_lint.cli.help import Command, option, options
from roce_lint.cli.run_options import RunOptions, show_progress
from roce_lint.engine.finding import CLEAN, INCOMPLETE
from roce_lint.errors import UsageError


@click.command("read", cls=Command)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@option("output", "target", required=True, metavar="FILE", help="Write the bundle PART.roce.")
@options("config", option("jobs", type=click.IntRange(min=1)), "no-cache", "quiet")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[str, ...],
    target: str,
    config: str | None,
    jobs: int | None,
    no_cache: bool,  # noqa: FBT001
    quiet: bool,  # noqa: FBT001
) -> None:
    """Read configurations below PATH into a bundle, which `check` takes in their place.

    The bundle holds no secrets. Settings that act on reading, such as [files], act now; others, and
    cable plans, go into the bundle. Exit status: 0 written; 3 a file could not be read.
    """
    from roce_lint import settings  # noqa: PLC0415  (pydantic)
    from roce_lint.budget import pause_collection  # noqa: PLC0415
    from roce_lint.loading.bundle import MAGIC, write_bundle  # noqa: PLC0415
    from roce_lint.loading.discover import BUNDLE  # noqa: PLC0415
    from roce_lint.pipeline.runner import load_files  # noqa: PLC0415
    from roce_lint.text.excerpts import Excerpts  # noqa: PLC0415
    from roce_lint.text.files import write_file  # noqa: PLC0415
    from roce_lint.text.numbers import count  # noqa: PLC0415

    bundle = Path(target)
    if not target.endswith(BUNDLE):
        raise UsageError(f"-o {target}: must end in {BUNDLE}")
    output.require_writable(bundle, f"-o {target}")
    if bundle.is_file() and not _begins(bundle, MAGIC):
        raise UsageError(f"-o {target}: exists and is no bundle")
    if unfit := next((path for path in paths if path == "-" or path.endswith(BUNDLE)), None):
        raise UsageError(f"{unfit}: only files and folders of configurations go into a bundle")
    run_options = RunOptions(
        paths=paths, intent=None, links=None, profile=None, rules=(), config=config, device=(),
        role=(), jobs=jobs, no_cache=no_cache,
    )  # fmt: skip
    chosen, request = run_options.settings(), run_options.request()
    found = settings.find(paths)
    with pause_collection():
        loaded = show_progress(lambda: load_files(request, chosen), quiet=quiet)
        data = write_bundle(bundle, loaded.found, loaded.taken, loaded.read,
                            Excerpts(loaded.memory),
                            (found, settings.portable_text(found)) if found else None)  # fmt: skip
    write_file(bundle, data)
    devices, files = (
        count(len(loaded.devices), "device"),
        count(len({part.name for part in loaded.taken.parts}), "file"),
    )
    if not quiet:
        output.write(f"{target}: {devices} from {files}, {len(data)} bytes\n")
    incomplete = [each for each in loaded.diagnostics if each.incomplete]
    for each in incomplete:
        output.write(f"{each.file}: {each.kind}: {each.message}\n", err=True)
    ctx.exit(INCOMPLETE if incomplete else CLEAN)


def _begins(path: Path, magic: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(magic)) == magic
