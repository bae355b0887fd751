"""Device output as people forward it: inside programs, tickets, chats and mails."""

from __future__ import annotations

import html
import json

from tests.captures.bases import Base
from tests.captures.distortions import Way, each, lines_of


def typed(base: Base, text: str) -> str:
    return f"{base.prompt}{base.command}\n{text.removesuffix(chr(10))}\n{base.prompt}\n"


def around(before: str, after: str) -> Way:
    return lambda base, text: f"{before.replace('HOST', base.host)}{text}{after}"


def session(before: str, after: str) -> Way:
    return lambda base, text: f"{before}{typed(base, text)}{after}"


def verbose_play(base: Base, text: str) -> str:
    result = {"changed": False, "stdout": [text], "stdout_lines": [lines_of(text)]}
    return (
        f"Using /etc/ansible/ansible.cfg\n{base.host} | SUCCESS => {json.dumps(result, indent=4)}\n"
    )


def play_in_yaml(base: Base, text: str) -> str:
    body = "".join(f"    {line}\n" if line else "\n" for line in lines_of(text))
    head = f"PLAY [all] ****\n\nTASK [show] ****\nok: [{base.host}] => \n  changed: false\n"
    return f"{head}  stdout:\n  - |-\n{body}\nPLAY RECAP ****\n"


def answered(_: Base, text: str) -> str:
    body = "".join(f"> {line}\n" for line in lines_of(text))
    return f"Hi,\n\nOn Fri, Nov 20, 2026 John wrote:\n{body}\nthanks\n"


STRANGERS: dict[str, Way] = {
    "script(1)": session(
        'Script started on 2026-11-20 08:11:43+00:00 [TERM="xterm" COLUMNS="200" LINES="50"]\n',
        '\nScript done on 2026-11-20 08:12:43+00:00 [COMMAND_EXIT_CODE="0"]\n',
    ),
    "PuTTY": session(
        "=~=~=~=~=~=~=~=~=~=~=~= PuTTY log 2026.11.20 08:11:43 =~=~=~=~=~=~=~=~=~=~=~=\n"
        "login as: admin\nadmin@10.0.0.1's password: \nLast login: Fri Nov 20 08:00:00 2026\n",
        "",
    ),
    "SecureCRT": session("[2026-11-20 08:11:43] \n", "[2026-11-20 08:12:43] \n"),
    "expect": session("spawn ssh admin@10.0.0.1\nadmin@10.0.0.1's password: \n", ""),
    "MobaXterm": lambda base, text: "".join(
        f"\x1b[32m{line}\x1b[0m\r\n" for line in lines_of(typed(base, text))
    ),
    "a copy of a screen": each(lambda line: f"{line:<200}"),
    "ssh into a file": around(
        "Warning: Permanently added '10.0.0.1' (ED25519) to the list of known hosts.\n",
        "Connection to 10.0.0.1 closed.\n",
    ),
    "a banner": around("*****************\n* Authorized use only. # > *\n*****************\n", ""),
    "what a device says first": around(
        "Building configuration...\n\nCurrent configuration : 12345 bytes\n", ""
    ),
    "clush": around("---------------\nHOST\n---------------\n", ""),
    "kubectl": around('Defaulted container "tools" out of: tools, init (init)\n', ""),
    "docker compose": lambda base, text: each(lambda line: f"{base.host}-1  | {line}")(base, text),
    "the journal": each(lambda line: f"Nov 20 08:11:43 jump collect[123]: {line}"),
    "a play with -v": verbose_play,
    "a play in YAML": play_in_yaml,
    "Jira": around("RoCE drops on HOST\n\n{code}\n", "{code}\n\nplease advise\n"),
    "AsciiDoc": around("= Leaf\n\n.running config\n[source,text]\n----\n", "----\n"),
    "Slack": around("john  8:11 AM\n```", "```\n"),
    "Slack, closed in the line": lambda base, text: (
        f"john  8:11 AM\n```{text.removesuffix(chr(10))}```\n"
    ),
    "Confluence": lambda _, text: (
        f'<div class="code panel"><pre class="syntax">{html.escape(text)}</pre></div>'
    ),
    "prose": session(
        "Hello,\nbelow is the running config of the leaf.\n\n", "\nBest regards\nJohn\n"
    ),
    "quotes of a word processor": around("Here\u2019s the config \u2013 as asked:\n\n", ""),
    "quoted twice": each(lambda line: f"> > {line}"),
    "an answered mail": answered,
    "a line between any two": each(lambda line: f"{line}\r\n\r"),
    "two returns": each(lambda line: f"{line}\r\r"),
    "blanks at every end": each(lambda line: f"{line}   "),
    "no last line end": lambda _, text: text.rstrip("\n"),
}
"""Every way by its name."""
