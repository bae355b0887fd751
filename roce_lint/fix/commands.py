"""The same corrections as commands for running devices, and the way back."""

from __future__ import annotations

from collections.abc import Mapping

from roce_lint.fix.offers import Answer
from roce_lint.nos.edit import FileEdit
from roce_lint.nos.registry import all_nos
from roce_lint.text.folders import NO_CONFIGURATION

COMMANDS, ROLLBACK = "commands", "rollback"


def commands_of(answer: Answer, texts: Mapping[str, str]) -> dict[str, str]:
    """Files with commands by their paths: what makes each device's files these texts, and back.

    A system whose commands are not declared has none.
    """
    known = all_nos()
    found: dict[str, str] = {}
    for name, text in texts.items():
        file = answer.files[name]
        made = known[file.device.nos].commands
        if made is None:
            continue
        there, back = FileEdit(file.text, text), FileEdit(text, file.text)
        for folder, edited in ((COMMANDS, there), (ROLLBACK, back)):
            lines = made(edited)
            if lines:
                path = _path(folder, file.device.hostname)
                found[path] = found.get(path, f"{NO_CONFIGURATION}\n") + lines
    return found


def without_commands(
    answer: Answer, texts: Mapping[str, str], made: Mapping[str, str]
) -> list[str]:
    """Devices with a corrected file and no commands among what was made: it has to be loaded."""
    names = {answer.files[name].device.hostname for name in texts}
    return sorted(name for name in names if _path(COMMANDS, name) not in made)


def _path(folder: str, device: str) -> str:
    return f"{folder}/{device.replace('/', '_')}.txt"
