"""`nv set` as text: quotes, prompts, `nv unset`, comments, states of lines."""

from __future__ import annotations

from roce_lint.model.device import NoteKind
from roce_lint.text.source import LineState
from tests.nos.cumulus.reading import COMMANDS, commands, port, read
from tests.nos.reader import line, notes, states


def test_quotes() -> None:
    device = commands(
        """
        nv set interface swp1 description 'it'"'"'s # here'
        nv set system message pre-login '#####
        #  nv set interface swp1 link mtu 1500
        #####
        '
        nv set interface swp1 link mtu 9000
        """
    )
    assert port(device).description == "it's # here"
    assert (port(device).ip_mtu, line(port(device), "ip_mtu")) == (9000, 7)


def test_a_quote_without_an_end() -> None:
    device = commands(
        """
        nv set interface swp1 description "broken
        nv set interface swp1 link mtu 9000
        """
    )
    assert notes(device) == [(2, "a quote begins here that never ends")]
    assert port(device).ip_mtu == 9000
    assert states(device, LineState.UNRECOGNISED) == [2]


def test_prompts_comments_and_blank_lines() -> None:
    device = read(
        (
            COMMANDS,
            """
            #!/bin/bash
            # NVUE
            cumulus@leaf1:mgmt:~$ nv set interface swp1 link mtu 9000
            sudo nv set interface swp1 link fec rs

              nv set interface swp1 link speed 100G  # the rest is a remark
            nv config apply
            """,
        )
    )
    assert (port(device).ip_mtu, port(device).speed_gbps) == (9000, 100)
    assert line(port(device), "fec") == 4
    assert states(device, LineState.IGNORED) == [1, 2, 5, 8]
    assert states(device, LineState.UNCLAIMED) == [7]


def test_lines_are_shadowed_by_later_ones() -> None:
    device = commands(
        """
        nv set interface swp1-2 link mtu 9100
        nv set interface swp2 link mtu 9000
        nv set interface swp1 link fec rs
        nv set interface swp1 link fec off
        nv set interface swp1 link fec off
        """
    )
    # The list is overruled on swp2 and in force on swp1.
    assert states(device, LineState.SHADOWED) == [4]
    assert states(device, LineState.UNDERSTOOD) == [1, 2, 3, 6]
    assert [line(note) for note in device.notes if note.kind is NoteKind.SHADOWED] == [4]


def test_unset() -> None:
    device = commands(
        """
        nv set interface swp1 link mtu 9000
        nv set qos roce
        nv unset interface swp1 link mtu
        nv unset qos roce
        nv unset qos nothing
        """
    )
    assert port(device).ip_mtu == 9216
    found = port(device).qos
    assert found is not None
    assert found.pfc is not None
    assert found.pfc.generate == set()
    assert states(device, LineState.SHADOWED) == [2, 3]
    assert states(device, LineState.UNRECOGNISED) == [6]


def test_unread_lines() -> None:
    device = commands(
        """
        nv set interface swp1 link wibble 7
        nv set interface swp1 evpn multihoming segment local-id 10
        nv set qos wibble default-global x
        nv set acl RULES rule 10
        nv set vrf RED router bgp enable on
        nv set qos advance-buffer-config default-global ingress-lossless-buffer shared-alpha alpha_2
        """
    )
    assert states(device, LineState.UNRECOGNISED) == [2, 4]
    assert states(device, LineState.IGNORED) == [3, 7, 8]
    assert states(device, LineState.UNCLAIMED) == [5, 6]


def test_an_absurd_range_is_noted() -> None:
    device = commands("nv set interface swp1-99999 link mtu 9000")
    assert list(device.interfaces) == ["swp1"]
    assert notes(device) == [(2, "the list of interfaces is too long to be one")]
