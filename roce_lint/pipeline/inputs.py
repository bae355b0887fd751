"""Inputs of a run besides configurations: intent, cable plan, file settings, and rules."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from roce_lint import checks
from roce_lint.catalog.hardware import Hardware, hardware
from roce_lint.engine import registry
from roce_lint.engine.finding import Severity, SkippedFile
from roce_lint.engine.page import load_pages
from roce_lint.engine.run import Rules, validate_parameters
from roce_lint.errors import LinksError, SettingsError, UsageError
from roce_lint.loading.discover import BUNDLE
from roce_lint.loading.intake import FileRule
from roce_lint.model.plan import RocePlan
from roce_lint.nos.registry import all_nos
from roce_lint.resources import resource_dir
from roce_lint.settings import NONE, Settings, find, load, near_path
from roce_lint.text.names import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roce_lint.engine.page import RulePage
    from roce_lint.loading.load import LoadResult
    from roce_lint.pipeline.request import Request
    from roce_lint.topology.plan_file import PlannedLink

UNTRUSTED_PLAN = "a cable plan in the checked tree, not used: name it with --links"
CABLE_PLANS = ("links.yaml", "links.yml", "links.csv")


def plan_of(request: Request, settings: Settings) -> RocePlan:
    """The plan of the intent or the profile, or an empty one.

    Raises:
        IntentError, LinksError, UsageError, SettingsError: the file or the name is wrong.
    """
    folders = _folders(settings, "profiles", settings.catalog.profiles)
    if request.intent:
        # pydantic only if needed
        from roce_lint.design.golden import nics_of  # noqa: PLC0415
        from roce_lint.intent.read import read_whole  # noqa: PLC0415

        intent = read_whole(Path(request.intent))
        plan = intent.plan()
        plan.nics = nics_of(intent)
        return plan
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
    """Known switch models, with the additions of the site.

    Raises:
        SettingsError, UsageError: a folder is not there, or a file in it is wrong.
    """
    return hardware(_folders(settings, "hardware", settings.catalog.hardware))


def _folders(settings: Settings, key: str, named: tuple[str, ...]) -> list[Path]:
    """Folders named in the settings, relative to the settings file. Those of settings found in the
    checked tree must lie below them.
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
    """The cable plan of --links, or of a file beside the configurations.

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
        return read_plan(path, name, None if request.links else loaded.memory.get(name))
    except LinksError as error:  # shown relative to the working folder, where it has to be fixed
        place = (error.location or name).replace(name, str(path), 1)
        raise LinksError(error.message, location=place, hint=error.hint) from None


def found_settings(paths: Sequence[str]) -> Settings:
    """The settings for a run over these paths: recorded in the first path, a bundle, or found."""
    recorded = None
    if paths[0].endswith(BUNDLE):
        from roce_lint.loading.bundle import settings_of  # noqa: PLC0415  (only where named)

        recorded = settings_of(paths[0])
    path = near_path(recorded[0]) if recorded is not None else find(paths)
    if path is None:
        return NONE
    return load(path, found=True, text=recorded[1] if recorded is not None else None)


def file_rules(settings: Settings) -> tuple[FileRule, ...]:
    """The file settings.

    Raises:
        SettingsError: they name a reader that does not exist.
    """
    for glob, item in settings.files.items():
        if item.nos is not None and item.nos not in all_nos():
            place = settings.place("files", glob, "nos")
            hint = f"known are {', '.join(sorted(all_nos()))}"
            raise SettingsError(f"unknown system {item.nos!r}", location=place, hint=hint)
    return tuple(
        FileRule(glob, item.nos, item.device, item.ignore, item.role)
        for glob, item in settings.files.items()
    )


def load_rules(request: Request, settings: Settings) -> Rules:
    """Load the selected pages, with their settings.

    Raises:
        RulePageError: a page is wrong.
        SettingsError: the settings name a rule that does not exist.
    """
    registry.import_checks(checks)
    own = resource_dir("rules")
    pages = load_pages([own, *registry.plugin_pages(), *(Path(folder) for folder in request.rules)])
    known = {page.id for page in pages}
    unknown = sorted(set(settings.rules) - known)
    if unknown:
        place = settings.place("rules", unknown[0])
        own_pages = "" if request.rules else "; --rules DIR adds your own pages"
        hint = f"{did_you_mean(unknown[0], known)}{own_pages}"
        raise SettingsError(f"unknown rule {unknown[0]}", location=place, hint=hint)
    select = request.select or tuple(settings.select)
    ignore = request.ignore or tuple(settings.ignore)
    for key, prefixes in (("select", select), ("ignore", ignore)):
        for prefix in prefixes:
            if not any(page.id.startswith(prefix) for page in pages):
                stated = prefix in getattr(settings, key)
                error = SettingsError if stated else UsageError
                place = settings.place(key) if stated else f"--{key}"
                hint = did_you_mean(prefix, known)
                raise error(f"no rule starts with {prefix!r}", location=place, hint=hint)
    for number, waiver in enumerate(settings.waivers):
        if not any(page.id.startswith(waiver.rule) for page in pages):
            raise SettingsError(
                f"waiver: no rule starts with {waiver.rule!r}",
                location=settings.place("waiver", number, "rule"),
                hint=did_you_mean(waiver.rule, known),
            )
    chosen = [
        page
        for page in pages
        if (not select or page.id.startswith(select))
        and not (ignore and page.id.startswith(ignore))
    ]
    if not chosen:
        raise UsageError("--select and --ignore leave no rule to check")
    rules = Rules(
        chosen,
        {rule: dict(item.params) for rule, item in settings.rules.items() if item.params},
        {
            rule: Severity[item.severity.upper()]
            for rule, item in settings.rules.items()
            if item.severity
        },
        frozenset(known),
        {rule: settings.place("rules", rule, "params") for rule in settings.rules},
        _errors(pages) - _errors(chosen),
        settings.limits.check_seconds,
    )
    validate_parameters(rules)
    return rules


def _errors(pages: list[RulePage]) -> int:
    return sum(1 for page in pages if page.severity is Severity.ERROR)
