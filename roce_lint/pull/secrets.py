"""Passwords for a pull: out of the environment, of a command, or of a prompt; nowhere else.

They are held by one object that prints as nothing, and go to what logs in and nowhere else.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

from roce_lint.errors import UsageError

PASSWORD, ENABLE, PASSPHRASE = "ROCE_LINT_PASSWORD", "ROCE_LINT_ENABLE", "ROCE_LINT_PASSPHRASE"
WAIT = 60
"""Seconds that a command may take to say a password; it may ask somebody."""


@dataclass(frozen=True, repr=False)
class Secrets:
    """What is needed to log in."""

    password: str | None = None
    enable: str | None = None
    passphrase: str | None = None

    def __repr__(self) -> str:
        return "Secrets(...)"

    def without(self, text: str) -> str:
        """A text of somebody else in which none of them is said."""
        for each in (self.password, self.enable, self.passphrase):
            if each:
                text = text.replace(each, "***")
        return text


def secrets(
    password_command: str | None, enable_command: str | None, ask: Callable[[str], str] | None
) -> Secrets:
    """Take the secrets; what was in the environment is no longer there for children.

    Raises:
        UsageError: a command fails or says nothing.
    """
    found = {name: os.environ.pop(name, None) for name in (PASSWORD, ENABLE, PASSPHRASE)}
    password = _output_of("--password-command", password_command) or found[PASSWORD]
    enable = _output_of("--enable-command", enable_command) or found[ENABLE]
    if ask is not None and password is None:
        password = ask("Password") or None
    return Secrets(password, enable, found[PASSPHRASE])


def _output_of(option: str, command: str | None) -> str | None:
    """The first line that a command of the user prints."""
    if command is None:
        return None
    try:
        done = subprocess.run(  # noqa: S602  (the user's own command, as a shell runs it)
            command, shell=True, check=True, stdout=subprocess.PIPE, timeout=WAIT
        )
    except subprocess.TimeoutExpired:
        raise UsageError(f"{option}: the command says nothing within {WAIT} s") from None
    except subprocess.CalledProcessError as error:
        raise UsageError(f"{option}: the command ends with status {error.returncode}") from None
    said = done.stdout.decode("utf-8", "replace").split("\n", 1)[0].rstrip("\r")
    if not said:
        raise UsageError(f"{option}: the command prints nothing")
    return said
