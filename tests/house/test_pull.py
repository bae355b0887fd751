"""Only show commands may be declared for a pull; anything else is refused at once."""

from __future__ import annotations

import pytest

from roce_lint.nos.pull import SHOWING, Command, ForbiddenCommand, Kind, PullPlan, require_read_only
from roce_lint.nos.registry import all_nos

DECLARED = [
    (nos, command)
    for nos in all_nos().values()
    if nos.pulled is not None
    for command in nos.pulled.commands
]


@pytest.mark.parametrize(
    "text",
    [
        "configure terminal",
        "clear counters",
        "reload",
        "bash",
        "nv action clear interface swp1",
        "nv set system hostname x",
        "tools interface x",
        "showrun",
        "show running-config; reload",
        "show running-config && reload",
        "show running-config > flash:x",
        "show running-config >> x",
        "show running-config | redirect flash:x",
        "show running-config | tee x",
        "show running-config | append x",
        "show running-config | json | sh",
        "show running-config | no-more; reload",
        "show running-config\nreload",
        "show running-config\rreload",
        "show `reload`",
        "show $(reload)",
        "show x\x00",
        "show \\x",
        "show ../../etc",
        "show running-config & reload",
        " show version",
        "show version ",
        "",
        "|",
        "show x" * 50,
        "cat /etc/shadow",
        "cat /etc/sonic/config_db.json /etc/shadow",
        "show versi\u00f6n",
    ],
)
def test_what_does_more_than_show_is_refused(text: str) -> None:
    with pytest.raises(ForbiddenCommand):
        PullPlan(words=SHOWING, commands=(Command(text),))


def test_a_system_cannot_bring_its_own_words() -> None:
    with pytest.raises(ForbiddenCommand):
        require_read_only("reload now", ("reload",))


def test_two_answers_of_one_name_are_refused() -> None:
    with pytest.raises(ForbiddenCommand):
        PullPlan(words=("show",), commands=(Command("show x"), Command("show x | json")))


@pytest.mark.parametrize(("nos", "command"), DECLARED, ids=lambda item: getattr(item, "text", ""))
def test_every_declared_command_shows(nos, command) -> None:
    require_read_only(command.text, nos.pulled.words)
    assert not command.text.startswith("cat ") or command.text in SHOWING


def test_every_switch_can_be_pulled_and_asks_what_its_readers_read() -> None:
    for nos in all_nos().values():
        assert nos.pulled is not None, nos.name
        assert nos.netmiko_type, nos.name
        if nos.is_host:
            assert nos.pulled.script
            continue
        asked = {command.text for command in nos.pulled.of([Kind.CONFIG])}
        assert {source.run for source in nos.sources if source.run} <= asked, nos.name
        assert sum(command.needed for command in nos.pulled.commands) == 1, nos.name


def test_no_two_systems_are_called_the_same() -> None:
    names = [
        word.replace("_", "-")
        for nos in all_nos().values()
        for word in {name.replace("_", "-") for name in (nos.name, *nos.pulled.called)}
    ]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("word", ["save", "write", "copy", "configure", "system-view", "commit"])
def test_no_preparation_changes_more_than_the_session(word: str) -> None:
    lines = [line for nos in all_nos().values() for line in nos.pulled.prepares]
    assert lines
    assert not [line for line in lines if word in line]
