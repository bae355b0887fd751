"""Why a device could not be asked, in the words that a report groups by."""

from __future__ import annotations


class Failure(Exception):
    """A device that could not be asked, or not to the end: the cause, and what is known of it."""

    def __init__(self, cause: str, about: str = ""):
        super().__init__(cause, about)
        self.cause = cause
        self.about = about

    def __str__(self) -> str:
        return f"{self.cause} ({self.about})" if self.about else self.cause


LOGIN_REFUSED = "login refused"
CHANGED = "host key changed"
UNKNOWN_KEY = "host key unknown"
REFUSED = "connection refused"
TIME_LIMIT = "time limit"
CLOSED = "connection closed"
TOO_LARGE = "output too large"
NOT_TRIED = "not tried"
