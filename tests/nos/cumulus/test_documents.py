"""YAML and JSON in every form give the same result as commands, with the lines of their keys."""

from __future__ import annotations

import dataclasses

import pytest

from roce_lint.errors import ReadError
from roce_lint.model.device import Device, NoteKind
from roce_lint.text.source import LineState
from tests.nos.cumulus.reading import COMMANDS, DOCUMENT, pfc, port, qos, read
from tests.nos.reader import line, notes, states

TREE = """\
interface:
  swp1,3-4:
    link:
      mtu: 9100
    type: swp
  ? swp1,swp3
  : bridge:
      domain:
        br_default:
          access: 20
    qos:
      pfc-watchdog:
        state: enable
qos:
  roce:
    enable: on
    mode: lossless
  pfc:
    default-global:
      switch-priority:
        '3': {}
        '5': {}
router:
  bgp:
    autonomous-system: 65001
system:
  hostname: leaf1
  message:
    pre-login: |
      ####
"""

SAID = """\
nv set interface swp1,3-4 link mtu 9100
nv set interface swp1,3-4 type swp
nv set interface swp1,swp3 bridge domain br_default access 20
nv set interface swp1,swp3 qos pfc-watchdog state enable
nv set qos pfc default-global switch-priority 3,5
nv set qos roce enable on
nv set qos roce mode lossless
nv set router bgp autonomous-system 65001
nv set system hostname leaf1
"""

HEADER = """\
# made
- header:
    model: SN5600
    nvue-api-version: nvue_v1
    rev-id: 1.0
    version: Cumulus Linux 5.13.0
"""


def indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{each}\n" for each in text.splitlines())


LISTED = HEADER + "- set:\n" + indented(TREE, 4)
BARE = "set:\n" + indented(TREE, 2)

JSON = """\
[{"header": {"nvue-api-version": "nvue_v1", "version": "Cumulus Linux 5.13.0"}},
 {"set": {
   "interface": {"swp1,3-4": {"link": {"mtu": 9100}, "type": "swp"},
                 "swp1,swp3": {"bridge": {"domain": {"br_default": {"access": 20}}},
                               "qos": {"pfc-watchdog": {"state": "enable"}}}},
   "qos": {"roce": {"enable": "on", "mode": "lossless"},
           "pfc": {"default-global": {"switch-priority": {"3": {}, "5": {}}}}},
   "router": {"bgp": {"autonomous-system": 65001}},
   "system": {"hostname": "leaf1"}}}]
"""


def model(device: Device) -> Device:
    return dataclasses.replace(device, os_version=None, notes=[])


@pytest.mark.parametrize("text", [TREE, LISTED, BARE, JSON], ids=["tree", "list", "bare", "json"])
def test_every_form_gives_what_the_commands_give(text: str) -> None:
    wanted = read((COMMANDS, SAID))
    found = read((DOCUMENT, text))
    assert model(found) == model(wanted)
    assert notes(found) == []
    assert [found.interfaces["swp1"].ip_mtu, pfc(found).generate] == [9100, {3, 5}]


def test_lines_of_a_document() -> None:
    device = read((DOCUMENT, LISTED))
    assert (device.os_version, line(device, "os_version")) == ("5.13.0", 6)
    assert line(port(device), "ip_mtu") == 11
    assert line(port(device), "untagged_vlan") == 17
    assert (line(pfc(device), 3), line(pfc(device), 5)) == (28, 29)
    assert (line(device, "asn"), line(device, "hostname")) == (32, 34)


def test_states_of_a_document() -> None:
    device = read((DOCUMENT, LISTED))
    assert states(device, LineState.UNRECOGNISED) == []
    # The header but for its version, the comment, and `set:`.
    assert states(device, LineState.IGNORED) == [1, 2, 3, 4, 5, 7, 37, 38]
    # The banner; its last line looks like a comment.
    assert states(device, LineState.UNCLAIMED) == [35, 36]


def test_what_is_not_understood_in_a_document() -> None:
    device = read((DOCUMENT, "interface:\n  swp1:\n    link:\n      wibble: 7\n      mtu: 9000\n"))
    assert states(device, LineState.UNRECOGNISED) == [4]
    assert states(device, LineState.UNDERSTOOD) == [1, 2, 3, 5]


@pytest.mark.parametrize("word", ["on", "'on'", "enabled", "yes", "true"])
def test_switches_are_words(word: str) -> None:
    device = read((DOCUMENT, f"qos:\n  roce:\n    enable: {word}\ninterface:\n  swp1: {{}}\n"))
    assert pfc(device).generate == {3}


def test_unset_items() -> None:
    device = read(
        (
            DOCUMENT,
            """
            - set:
                interface:
                  swp1: {}
                qos:
                  roce:
                    mode: lossy
            - unset:
                qos:
                  roce: {}
            """,
        )
    )
    assert line(qos(device), "classifier") == 0


def test_keys_that_come_twice() -> None:
    device = read(
        (
            DOCUMENT,
            """
            interface:
              swp1:
                link:
                  mtu: 9000
                  mtu: 9100
            """,
        )
    )
    assert port(device).ip_mtu == 9100
    assert notes(device, NoteKind.DUPLICATE) == [(5, '"mtu" comes again; the last one counts')]


@pytest.mark.parametrize("text", ["interface: [\n", "interface:\n\tswp1: {}\n", "a: &x [*x]\n"])
def test_invalid_yaml_is_an_error(text: str) -> None:
    with pytest.raises(ReadError):
        read((DOCUMENT, text))


@pytest.mark.parametrize(
    "text",
    [
        "interface: 3\nqos: []\n",
        "interface:\n  swp1: 3\n  swp2: [a, b]\n",
        "- 3\n- set: x\n- header: y\n- set:\n    qos: {roce: [lossy]}\n",
        "set:\n",
        "",
        "qos: {roce: {mode: {deep: {er: 1}}}}\n",
    ],
)
def test_trees_of_another_shape_are_read_without_a_crash(text: str) -> None:
    read((DOCUMENT, text))


def test_commands_and_document_of_one_device() -> None:
    device = read((DOCUMENT, LISTED), (COMMANDS, SAID))
    assert model(device) == model(read((COMMANDS, SAID)))
    assert states(device, LineState.UNRECOGNISED) == []
    assert states(device, LineState.SHADOWED) == []
