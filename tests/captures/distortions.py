"""Distortions of device output in saved files, each a small function."""

from __future__ import annotations

import html
import json
from collections.abc import Callable

from tests.captures.bases import Base

Way = Callable[[Base, str], str]

EVERY = 12
"""Lines of a page of a terminal that is as small as a test needs it."""


def lines_of(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def at_pages(mark: Callable[[str], list[str]]) -> Way:
    """Every page ends with a mark; it is given the line that comes next."""

    def changed(_: Base, text: str) -> str:
        shown: list[str] = []
        for number, line in enumerate(lines_of(text)):
            if number and number % EVERY == 0:
                shown += mark(line)
            else:
                shown.append(line)
        return "\n".join(shown) + "\n"

    return changed


def alone(word: str) -> Way:
    return at_pages(lambda line: [word, line])


def before(word: str, wiped: str) -> Way:
    return at_pages(lambda line: [f"{word}{wiped}{line}"])


def each(change: Callable[[str], str]) -> Way:
    return lambda _, text: "".join(f"{change(line)}\n" for line in lines_of(text))


def stamped(stamp: str) -> Way:
    """The stamp goes on by a second a line."""

    def changed(_: Base, text: str) -> str:
        return "".join(
            f"{stamp.replace('SS', f'{number % 60:02}')}{line}\n"
            for number, line in enumerate(lines_of(text))
        )

    return changed


def numbered(form: str) -> Way:
    return lambda _, text: "".join(
        f"{form.format(number, line)}\n" for number, line in enumerate(lines_of(text), 1)
    )


def session(base: Base, text: str) -> str:
    return (
        f"{base.prompt}\n{base.prompt}{base.command}\n{text.removesuffix(chr(10))}\n"
        f"{base.prompt}exit\n"
    )


def many_commands(base: Base, text: str) -> str:
    return (
        f"Last login: Tue Oct  6 08:11:43 2026 from 10.0.0.9\n{base.prompt}show version\n"
        f"Uptime: 3 weeks, 2 days\nFree memory: 12345 kB\n{session(base, text)}"
    )


def bundle(rule: str) -> Way:
    def changed(base: Base, text: str) -> str:
        return (
            f"{rule.format('show version')}\n\nUptime: 3 weeks\n\n"
            f"{rule.format(base.command)}\n\n{text}\n{rule.format('show clock')}\n\nTue Oct  6\n"
        )

    return changed


def wrapped(base: Base, text: str) -> str:
    rows = []
    for line in lines_of(text):
        rows += [line[at : at + 80] for at in range(0, len(line), 80)] or [""]
    return "\n".join(rows) + "\n"


def ansible(**how: int) -> Way:
    def changed(base: Base, text: str) -> str:
        result = {"changed": False, "stdout": [text], "stdout_lines": [lines_of(text)]}
        return json.dumps(result, **how)

    return changed


def task_log(base: Base, text: str) -> str:
    result = json.dumps({"changed": False, "stdout": [text]}, indent=4)
    return f"TASK [show] {'*' * 60}\nok: [{base.host}] => {result}\n\nPLAY RECAP {'*' * 60}\n"


def ad_hoc(base: Base, text: str) -> str:
    return f"{base.host} | CHANGED | rc=0 >>\n{text}"


def nornir(base: Base, text: str) -> str:
    return (
        f"netmiko_send_command{'*' * 60}\n* {base.host} ** changed : False {'*' * 40}\n"
        f"vvvv netmiko_send_command ** changed : False {'v' * 30} INFO\n{text}"
        f"^^^^ END netmiko_send_command {'^' * 40}\n"
    )


def hostvars(base: Base, text: str) -> str:
    return json.dumps({"_meta": {"hostvars": {base.host: {"ansible_net_config": text}}}}, indent=2)


def napalm(base: Base, text: str) -> str:
    found = {"running": text, "startup": text, "candidate": ""}
    return json.dumps({base.host: {"get_config": found}}, indent=2)


def rendered(base: Base, text: str) -> str:
    found = {"id": 7, "device": {"name": base.host}, "content": text, "template": "switch"}
    return json.dumps({"count": 1, "results": [found]})


def json_twice(base: Base, text: str) -> str:
    return json.dumps({"result": json.dumps({base.host: {"output": text}})})


def in_yaml(base: Base, text: str) -> str:
    body = "".join(f"      {line}\n" if line else "\n" for line in lines_of(text))
    return f"---\nhosts:\n  {base.host}:\n    config: |-\n{body}"


def in_yaml_list(base: Base, text: str) -> str:
    body = "".join(f"    {line}\n" if line else "\n" for line in lines_of(text))
    return f"changed: false\nstdout:\n- |-\n{body}"


def ticket(base: Base, text: str) -> str:
    return f"# RoCE is slow\n\nThe switch says:\n\n```\n{text}```\n\nAny idea?\n"


def page(base: Base, text: str) -> str:
    return f"<html><body><h1>{base.host}</h1>\n<pre>\n{html.escape(text)}</pre>\n</body></html>\n"


def rancid(base: Base, text: str) -> str:
    mark = base.comment
    return f"{mark}RANCID-CONTENT-TYPE: switch\n{mark}\n{mark} Chassis: 1U\n{mark}\n{text}"


def oxidized(base: Base, text: str) -> str:
    mark = base.comment
    return f"{mark} Model: 32 ports\n{mark} Serial: XYZ\n{mark}\n{text}"


def less(_: Base, text: str) -> str:
    """Remains of a pager that redraws its last line: a colon, erased by a sequence."""
    lines = lines_of(text)
    shown = [
        f"\x1b[7mlines {n + 1}-{n + EVERY}\x1b[27m\x1b[K\r\x1b[K{line}" if n % EVERY == 0 and n
        else line
        for n, line in enumerate(lines)
    ]  # fmt: skip
    return "\n".join([*shown, "\x1b[7m(END)\x1b[27m\x1b[K\r\x1b[K\x1b[?1l\x1b>"]) + "\n"


CAPTURES: dict[str, Way] = {
    "pager --More--": alone("--More--"),
    "pager with blanks around": alone(" --More-- "),
    "pager in angles": alone("<--- More --->"),
    "pager of four dashes": alone("  ---- More ----"),
    "pager with a share": alone("---(more 5%)---"),
    "pager that counts lines": alone("lines 1-23"),
    "pager that waits for a key": alone("Press any key to continue (Q to quit)"),
    "pager that tells the keys": alone("-- MORE --, next page: Space, next line: Enter, quit: q"),
    "pager wiped by a return": before(" --More-- ", "\r          \r"),
    "pager overwritten without blanks": before("--More--", "\r"),
    "pager wiped by backspaces": before("--More--", "\b" * 8 + " " * 8 + "\b" * 8),
    "pager wiped by a sequence": before("---- More ----", "\x1b[16D" + " " * 16 + "\x1b[16D"),
    "pager erased to the end": before("--More--", "\r\x1b[K"),
    "pager whose control characters are lost": before(" --More-- ", " " * 8),
    "pager with two returns": before("---(more)---", "\r" + " " * 40 + "\r"),
    "less": less,
    "colours": each(lambda line: f"\x1b[0m{line}\x1b[0m"),
    "a title of the window": lambda b, text: f"\x1b]0;ssh {b.host}\x07{text}",
    "corrected while typed": lambda b, text: f"{b.prompt}shpw\b\b \b\bow clock\n{session(b, text)}",
    "CRLF": each(lambda line: f"{line}\r"),
    "two returns at every end": each(lambda line: f"{line}\r\r"),
    "byte-order mark": lambda _, text: f"\ufeff{text}",
    "ISO stamps": stamped("2026-11-20T08:11:SSZ "),
    "stamps in brackets": stamped("[2026-11-20 08:11:SS.123] "),
    "clock stamps": stamped("08:11:SS.123 "),
    "month stamps": stamped("Nov 20 08:11:SS "),
    "stamps with a bar": stamped("2026-11-20 08:11:SS | "),
    "numbered by cat": numbered("{:6}\t{}"),
    "numbered by an editor": numbered("{:>4} {}"),
    "numbered with colons": numbered("{}: {}"),
    "found by a search": each(lambda line: f"backup/device.cfg:{line}"),
    "found by a search, numbered": numbered("device.cfg:{}:{}"),
    "a parallel shell": lambda base, text: each(lambda line: f"{base.host}: {line}")(base, text),
    "indented": each(lambda line: f"    {line}" if line else ""),
    "indented by a tab": each(lambda line: f"\t{line}" if line else ""),
    "quoted in a mail": each(lambda line: f"> {line}"),
    "no-break spaces": each(
        lambda line: "\u00a0" * (len(line) - len(line.lstrip(" "))) + line.lstrip(" ")
    ),
    "wrapped at 80 columns": wrapped,
    "a session": session,
    "a session of many commands": many_commands,
    "a session with a pager": lambda b, text: session(b, alone("--More--")(b, text)),
    "a session with stamps": lambda b, text: stamped("[08:11:SS] ")(b, session(b, text)),
    "a bundle with dashes": bundle("------------- {} -------------"),
    "a bundle with equal signs": bundle("=== {} ==="),
    "a bundle in back quotes": bundle("`{}`"),
    "outputs behind headers": lambda b, text: (
        f"# command: uname -a\nLinux\n# command: {b.command}  host: {b.host}\n{text}"
    ),
    "Ansible": ansible(),
    "Ansible, indented": ansible(indent=4),
    "Ansible's log": task_log,
    "Ansible ad hoc": ad_hoc,
    "Nornir": nornir,
    "hostvars": hostvars,
    "NAPALM": napalm,
    "a rendered configuration": rendered,
    "JSON in JSON": json_twice,
    "a YAML block": in_yaml,
    "a list of YAML blocks": in_yaml_list,
    "a ticket": ticket,
    "a page": page,
    "RANCID": rancid,
    "Oxidized": oxidized,
}
"""Every way by its name."""
