"""What a run is given besides configurations: an intent, cables, and the settings about files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from roce_lint.catalog.hardware import Hardware, hardware
from roce_lint.engine.finding import SkippedFile
from roce_lint.errors import LinksError, SettingsError, UsageError
from roce_lint.loading.intake import FileRule
from roce_lint.model.plan import RocePlan
from roce_lint.nos.registry import all_nos

if TYPE_CHECKING:
    from roce_lint.loading.load import LoadResult
    from roce_lint.pipeline.request import Request
    from roce_lint.settings import Settings
    from roce_lint.topology.plan_file import PlannedLink

UNTRUSTED_PLAN = "a cable plan of the judged tree, not used: name it with --links"
CABLE_PLANS = ("links.yaml", "links.yml", "links.csv")


def plan_of(request: Request, settings: Settings) -> RocePlan:
    """What the fabric is meant to be: the intent, the profile, or nothing.

    Raises:
        IntentError, UsageError, SettingsError: the file or the name is wrong.
    """
    folders = _folders(settings, "profiles", settings.catalog.profiles)
    if request.intent:
        from roce_lint.intent.read import read_intent  # noqa: PLC0415  (pydantic only if asked)

        return read_intent(Path(request.intent))
    name = request.profile or settings.profile
    if name:
        from roce_lint.catalog.profiles import profile  # noqa: PLC0415

        try:
            return profile(name, folders)
        except UsageError as error:
            if error.location or name != settings.profile:
                raise
            raise SettingsError(error.message, location=settings.place("profile")) from None
    return RocePlan()


def hardware_of(settings: Settings) -> Hardware:
    """What is known of the models of switches, with what the site lays over it.

    Raises:
        SettingsError, UsageError: a folder is not there, or a file in it is wrong.
    """
    return hardware(_folders(settings, "hardware", settings.catalog.hardware))


def _folders(settings: Settings, key: str, named: tuple[str, ...]) -> list[Path]:
    """Folders that the settings name, which are relative to the settings file. Those of settings
    that were found beside what is judged, and that nobody named, lie below them.
    """
    base = settings.path.parent if settings.path is not None else Path()
    folders = [base / folder for folder in named]
    top = os.path.realpath(base)
    for folder in folders if settings.found else ():
        if os.path.commonpath([os.path.realpath(folder), top]) != top:
            place = settings.place("catalog", key)
            hint = "name the settings with --config if they may name any folder"
            raise SettingsError(f"{folder} is not below this file", location=place, hint=hint)
    missing = next((folder for folder in folders if not folder.is_dir()), None)
    if missing is not None:
        place = settings.place("catalog", key)
        raise SettingsError(f"there is no folder {missing}", location=place)
    return folders


def cables_of(request: Request, loaded: LoadResult) -> list[PlannedLink]:
    """The cable plan that was named, or that lies beside the configurations.

    Raises:
        LinksError: it is wrong.
    """
    path = Path(request.links) if request.links else None
    if path is None:
        path = next((loaded.control[n] for n in CABLE_PLANS if n in loaded.control), None)
        if path is not None and request.isolated:
            name = os.path.relpath(path, loaded.base)
            loaded.skipped.append(SkippedFile(name, UNTRUSTED_PLAN))
            return []
    if path is None:
        return []
    from roce_lint.topology.plan_file import read_plan  # noqa: PLC0415  (only where there is one)

    name = os.path.relpath(path, loaded.base)
    try:
        return read_plan(path, name)
    except LinksError as error:  # who must mend it stands in the working folder, not in PATH
        place = (error.location or name).replace(name, str(path), 1)
        raise LinksError(error.message, location=place, hint=error.hint) from None


def file_rules(settings: Settings) -> tuple[FileRule, ...]:
    """What the settings say of files.

    Raises:
        SettingsError: they name a reader that does not exist.
    """
    for glob, item in settings.files.items():
        if item.nos is not None and item.nos not in all_nos():
            place = settings.place("files", glob, "nos")
            hint = f"known are {', '.join(sorted(all_nos()))}"
            raise SettingsError(f"no reader is called {item.nos!r}", location=place, hint=hint)
    return tuple(
        FileRule(glob, item.nos, item.device, item.ignore, item.role)
        for glob, item in settings.files.items()
    )
