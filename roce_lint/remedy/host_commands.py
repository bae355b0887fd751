"""Commands of hosts: their setup scripts state every value, and may run again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from roce_lint.text.outline import outline

_SCRIPT = "/usr/local/sbin/roce-setup.sh"
_PLACES = {
    "nccl.conf": "/etc/nccl.conf",
    "60-roce.yaml": "/etc/netplan/60-roce.yaml",
    "irdma.conf": "/etc/modprobe.d/irdma.conf",
    "roce-setup.service": "/etc/systemd/system/roce-setup.service",
}
_FOLDER = re.compile(r"(?:mkdir -p|rmdir) (\S+)")


def host_commands(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """New lines of the setup script, and as comments the lines of the files that keep them."""
    for path in dict.fromkeys((*after, *before)):
        place = _PLACES.get(path.rpartition("/")[2], "")
        old, new = (list(_host_lines(place, each.get(path, ""))) for each in (before, after))
        made = [line for line in new if line not in old]
        gone = [line for line in old if line not in new]
        left = [x for x in gone if _host_setting(x) not in map(_host_setting, made)]
        if place:
            for line in made:
                mtu = re.fullmatch(r'network: ethernets: "(.+)": mtu: (\d+)', line)
                yield from [f"ip link set dev {mtu[1]} mtu {mtu[2]}"] if mtu is not None else []
                yield f"# {place}: {line}"
            yield from (f"# {place}: without {line}" for line in left)
            continue
        yield from (line.replace(" app add ", " app del ") for line in gone if " app add " in line)
        for line in new:
            folder = _FOLDER.fullmatch(line)
            if line in made or (folder and any(f" {folder[1]}/" in each for each in made)):
                yield line
        if made:
            yield f"# {_SCRIPT}: the same lines, which stay over a restart"
        yield from (f"# no command takes back: {x}" for x in left if " app add " not in x)


def _host_lines(place: str, text: str) -> Iterator[str]:
    """Lines of a file without comments; an option given several times is one line for each."""
    if place.endswith(".yaml"):
        yield from (" ".join((*each.above, each.text)) for each in outline(text))
        return
    for line in text.splitlines():
        options = re.findall(r" --\w+=\S+", line)
        if len({each.partition("=")[0] for each in options}) < len(options):
            yield from (line.partition(options[0])[0] + each for each in options)
        elif line and not line.startswith(("#", "ls -d ", "set ")):
            yield line


def _host_setting(line: str) -> str:
    """A line without its value."""
    if name := re.match(r"\w+(?==)", line):
        return name[0]
    line = re.sub(r"^echo .* > ", "> ", line)
    return line if line[0] == ">" else re.sub(r"(?<=[=: ])(set,\d+,)?[^=: ]*$", r"\1", line)
