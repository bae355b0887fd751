"""Files of settings that a script writes with a here-document: what each of their lines sets."""

from __future__ import annotations

import re
from dataclasses import dataclass

from roce_lint.catalog.applications import row_of
from roce_lint.nos.linux.declared.commands import set_sysctl
from roce_lint.nos.linux.declared.setter import Setter, Words
from roce_lint.nos.linux.environment import state_variable
from roce_lint.nos.reading import Value
from roce_lint.text.shell_items import UNKNOWN, Command

_ENVIRONMENT = re.compile(
    r"(?:.*/)?\.?(?:nccl|rccl)\.conf|/etc/environment|.*\.env|/etc/default/.+"
)
_SYSCTL = re.compile(r"/etc/sysctl(?:\.d/.+)?\.conf|/etc/sysctl\.d/.+")
_SCRIPT = re.compile(r".*\.(?:sh|bash)|/etc/rc\.local|/etc/profile\.d/.+")
_LINE = re.compile(r"[ \t]*(?:export[ \t]+)?(?P<name>[A-Za-z_]\w*)=(?P<value>.*)")


@dataclass(slots=True, frozen=True)
class HereFile:
    """A file by what its lines mean."""

    kind: str

    @property
    def is_script(self) -> bool:
        """True where its lines are commands, which are run at some later time."""
        return self.kind == "script"

    def take(self, setter: Setter, line: str) -> None:
        """State what a line sets; one with a value that is not known sets nothing known."""
        if self.kind == "sysctl" and UNKNOWN not in line and line.lstrip()[:1] not in ("#", ";"):
            name, equals, value = line.partition("=")
            set_sysctl(setter, (f"{name.strip()}{equals}{value.strip()}",))
        found = _LINE.fullmatch(line) if self.kind == "environment" else None
        if found is not None and row_of(found["name"]) is not None:
            text = found["value"].strip()
            quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
            known = UNKNOWN not in text
            stated = Value((text[1:-1] if quoted else text) if known else None, setter.position)
            state_variable(setter.host, found["name"], stated, setter.who)


def here_file(command: Command, words: Words) -> HereFile | None:
    """The file that `cat > FILE` or `tee FILE` makes of a here-document, where it is of a kind that
    is read.
    """
    tool = (words[0] or "").rsplit("/", 1)[-1] if words else ""
    if tool == "cat" and len(words) == 1:
        targets: Words = command.stdout[-1:]
    elif tool == "tee":
        targets = tuple(word for word in words[1:] if word is None or word[:1] != "-")[:1]
    else:
        return None
    return kind_of(targets[0]) if targets and targets[0] is not None else None


def kind_of(path: str) -> HereFile | None:
    """What the lines of a file mean, by its path; None for a kind that is not read."""
    for kind, form in (("environment", _ENVIRONMENT), ("sysctl", _SYSCTL), ("script", _SCRIPT)):
        if form.fullmatch(path):
            return HereFile(kind)
    return None
