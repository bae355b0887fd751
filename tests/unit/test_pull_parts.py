"""The small parts of a pull: known hosts, and the gate before logins."""

from __future__ import annotations

import base64
import hashlib
import hmac
import threading
from pathlib import Path

import pytest

from roce_lint.pull.dialog import Failure, clean
from roce_lint.pull.hostkeys import KnownHosts
from roce_lint.pull.run import Gate

KEY = b"\x00\x00\x00\x0bssh-ed25519 this one"
TEXT = base64.b64encode(KEY).decode()


def hashed(name: str) -> str:
    salt = b"0123456789abcdefghij"
    digest = hmac.new(salt, name.encode(), hashlib.sha1).digest()
    return f"|1|{base64.b64encode(salt).decode()}|{base64.b64encode(digest).decode()}"


@pytest.mark.parametrize(
    ("names", "ours"),
    [
        ("leaf1", True),
        ("other,leaf1", True),
        ("*.example,leaf?", True),
        ("leaf*,!leaf1", False),
        ("[leaf1]:2022", False),
        (hashed("leaf1"), True),
        (hashed("leaf2"), False),
        ("|1|broken|", False),
    ],
)
def test_which_lines_are_of_a_host(tmp_path: Path, names: str, ours: bool) -> None:
    path = tmp_path / "known_hosts"
    path.write_text(f"# hosts\n{names} ssh-ed25519 {TEXT} somebody\n", encoding="utf-8")
    known = KnownHosts(path)
    known.read(path)
    if ours:
        known.check("leaf1", 22, "ssh-ed25519", KEY)
        with pytest.raises(Failure, match="host key changed"):
            known.check("leaf1", 22, "ssh-ed25519", KEY + b"x")
    else:
        with pytest.raises(Failure, match="host key unknown"):
            known.check("leaf1", 22, "ssh-ed25519", KEY)


def test_a_revoked_key_is_no_key(tmp_path: Path) -> None:
    path = tmp_path / "known_hosts"
    path.write_text(f"leaf1 ssh-ed25519 {TEXT}\n@revoked * ssh-ed25519 {TEXT}\n", encoding="utf-8")
    known = KnownHosts(path, accept_new=True)
    known.read(path)
    assert known.of("leaf1", 22) == []
    with pytest.raises(Failure, match="host key revoked"):
        known.check("leaf1", 22, "ssh-ed25519", KEY)


def test_a_login_that_succeeds_opens_the_gate_and_starts_the_count_anew() -> None:
    gate = Gate(2)
    assert gate.enter()
    gate.leave(refused=True, logged_in=False)
    assert gate.enter()
    gate.leave(refused=False, logged_in=True)
    assert all(gate.enter() for _ in range(10))
    gate.leave(refused=True, logged_in=False)
    gate.leave(refused=True, logged_in=False)
    assert not gate.enter()


def test_who_waits_at_the_gate_is_told_that_it_stays_shut() -> None:
    gate = Gate(1)
    assert gate.enter()
    said: list[bool] = []
    waiting = threading.Thread(target=lambda: said.append(gate.enter()))
    waiting.start()
    gate.leave(refused=True, logged_in=False)
    waiting.join(5)
    assert said == [False]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (b"mtu 92\b\b9214\n", "mtu 9214\n"),
        (b" --More-- \b\b\b\b\b\b\b\b\b\b          \b\b\b\b\b\b\b\b\b\bmtu 9214", "mtu 9214"),
        (b"a\n\b\bb", "a\nb"),
        (b"\b\b", ""),
    ],
)
def test_backspaces_take_back_what_stands_before_them(said: bytes, left: str) -> None:
    assert clean(said) == left


def test_many_backspaces_cost_as_much_as_they_are_long() -> None:
    assert clean(b"a" * 300_000 + b"\b" * 300_000) == ""
