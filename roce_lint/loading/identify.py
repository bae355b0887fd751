"""Identification of a file's source: its `# command:` header, else the best signature score."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache

from roce_lint.errors import AmbiguousFormat, UnknownFormat, UnreadOutput
from roce_lint.loading.naming import device_name
from roce_lint.loading.signature_search import Search, heads_of, literals_of, searcher
from roce_lint.nos.declare import Signature, Source
from roce_lint.nos.pull import SHOWING
from roce_lint.nos.registry import all_nos

PROBE = 4 << 10
HEAD = 64 << 10
TAIL = 8 << 10
FAR = 2 << 20
"""Characters of a file that signatures examine: a short probe; then head and tail; without a match,
as much as a whole configuration has."""

CERTAIN = 10
MARGIN = 3
"""Minimum score of the best source, and minimum lead over the second."""

FAR_LESS = 4
"""Factor by which another system must outscore the one in the header."""

FILE_NAME_SCORE = 5

COMMAND_LIMIT = 512
"""Characters of a command in a header; commands with longer arguments are not ours."""

ANSWER = 5
"""Maximum lines of a device's answer to an unknown command."""

NO_COMMAND = r"(?:\S*: )*(?:line \d+: )?\S+: (?:command )?not found"
"""Error message of a shell for an unknown command."""

_PRINTS = re.compile(r"(?:show|display|nv config|info) ?(?:run|conf|start|cur|sav|show|from run|$)")
"""First words of commands that print a configuration, abbreviated too."""

_HEADER = "# command:"
_FIELD = re.compile(r"(?<![ \t])[ \t]{2,}+(?P<field>host|time): *(?P<value>\S+)[ \t\r]*$")


@dataclass(slots=True, frozen=True)
class Identity:
    """Identity of a file: NOS, source, and the fields of its header or name."""

    nos: str
    source: str
    args: dict[str, str] = field(default_factory=dict)
    host: str | None = None
    time: str | None = None
    header: bool = False
    undecided: bool = False  # an output that several systems have: its device decides


@dataclass(slots=True, frozen=True)
class Header:
    """The first line of a file in a snapshot."""

    command: str
    host: str | None = None
    time: str | None = None


def header_of(text: str) -> Header | None:
    """Parse `# command: mlnx_qos -i ens1 host: gpu-017 time: 2026-10-07T06:13:11Z`, if present."""
    begin = 1 if text.startswith("\ufeff") else 0
    if not text.startswith(_HEADER, begin):
        return None
    rest = text[begin + len(_HEADER) : begin + HEAD].split("\n", 1)[0]
    fields: dict[str, str] = {}
    while ("  " in rest or "\t" in rest) and (found := _FIELD.search(rest[-COMMAND_LIMIT:])):
        fields.setdefault(found["field"], found["value"])
        rest = rest[: len(rest) - len(found[0])]
    return Header(rest.strip(), device_name(fields.get("host")), fields.get("time"))


def identify(name: str, text: str, only: str | None = None) -> Identity:
    """Identify a file from its text and name. `only` restricts the search to one NOS.

    Raises:
        UnreadOutput: the header names an unsupported command, or one that the device rejected.
        UnknownFormat: no signature scores, or too few; then `hint` has the nearest. `location` is
            the file name.
        AmbiguousFormat: two sources of one system have equal scores, or one of them is a
            configuration; the message names both and their evidence.
    """
    header = header_of(text)
    if header is not None:
        text = text.partition("\n")[2]
        known = _by_command(header.command, only)
        _require_answer(name, text, header, known)
        if header.command in _unread_outputs():
            raise _unknown(name, header, [])
        if known:
            (nos, source, args), undecided = (
                (known[0], False) if len(known) == 1 else _command_meant(name, text, header, known)
            )
            other = _score_of_another(name, text, nos, source, only)
            nos, source, args = (other.nos, other.source, ()) if other else (nos, source, args)
            return Identity(
                nos, source, dict(args), header.host, header.time, header=True, undecided=undecided
            )
    best = _best(name, text, only)
    output = header.command if header is not None else _leaf(name)
    if not best or best[0].points < MARGIN or (not _is_decided(best) and _is_unread(output)):
        raise _unknown(name, header, best)
    first = best[0]
    rivals = [s for s in best[1:] if s.points > first.points - _lead(first, s)]
    own = any(s.nos == first.nos for s in rivals)
    if own or (rivals and any(_is_base(s.nos, s.source) for s in (first, *rivals))):
        both = " or ".join(map(str, (first, rivals[0])))
        raise AmbiguousFormat(f"could be {both}", location=name)
    found = _name_args(all_nos()[first.nos].by_source[first.source], name)
    if header is None:
        return Identity(first.nos, first.source, found, undecided=bool(rivals))
    return Identity(
        first.nos, first.source, found, header.host, header.time, header=True,
        undecided=bool(rivals),
    )  # fmt: skip


def _require_answer(name: str, text: str, header: Header, known: tuple[_Command, ...]) -> None:
    """Require that a device answered a command. Hosts are exempt: their readers recognise error
    messages of tools.

    Raises:
        UnreadOutput: no answer, but no configuration is missing.
        UnknownFormat: no answer, and a configuration is missing.
    """
    lines = [line for line in text[:PROBE].split("\n") if line.strip()]
    systems = [all_nos()[nos] for nos, _, _ in known]
    if len(lines) > ANSWER or not systems or any(nos.is_host for nos in systems):
        return
    refusals = [nos.pulled.unknown for nos in systems if nos.pulled is not None]
    if lines and not any(re.match(refusal, lines[0]) for refusal in (*refusals, NO_COMMAND)):
        return
    what = f"the command {header.command[:80]!r} was refused" if lines else "an empty answer to "
    what += "" if lines else f"the command {header.command[:80]!r}"
    if any(_is_base(nos, source) for nos, source, _ in known):
        raise UnknownFormat(what, location=name, hint="the configuration is missing")
    raise UnreadOutput(what, location=name)


@cache
def _unread_outputs() -> frozenset[str]:
    """Commands of `pull` whose outputs are not read, and their file names."""
    plans = [nos.pulled for nos in all_nos().values() if nos.pulled is not None]
    commands = [each for plan in plans for each in plan.commands if not is_command(each.text)]
    return frozenset(name for each in commands for name in (each.text, each.file))


def _is_unread(output: str) -> bool:
    """Whether a command, or a file name of `pull`, has an unread output: it may contain lines of a
    configuration, but is not one.
    """
    shows = output.startswith(SHOWING) and not _PRINTS.match(output)
    return shows or output in _unread_outputs()


def _is_base(nos: str, source: str) -> bool:
    return all_nos()[nos].by_source[source].base


def is_command(command: str) -> bool:
    """Whether some system has a command whose output is read."""
    return bool(_by_command(command, None))


def _score_of_another(
    name: str, text: str, nos: str, source: str, only: str | None
) -> _Score | None:
    """The system that certainly wrote a configuration, although only another has its command: only
    commands that are read are known.
    """
    if not _is_base(nos, source):
        return None
    best = _best(name, text, only)
    if not _is_decided(best) or best[0].nos == nos:
        return None
    own = max((score.points for score in best if score.nos == nos), default=0)
    first = best[0]
    base = _is_base(first.nos, first.source)
    return first if base and own * FAR_LESS <= first.points else None


def _lead(first: _Score, other: _Score) -> int:
    """Required lead of the best source; two outputs of one NOS need only differ."""
    return MARGIN if other.nos != first.nos else 1


def _command_meant(
    name: str, text: str, header: Header, known: tuple[_Command, ...]
) -> tuple[_Command, bool]:
    """The system whose command a header names, if several have it, and whether the device decides:
    first by content, then by other files of the device.

    Raises:
        AmbiguousFormat: undecided, and it is a configuration.
    """
    meant = {(nos, source): (nos, source, args) for nos, source, args in known}
    scores = _best(name, text, frozenset(meant))
    if scores and all(s.points <= scores[0].points - MARGIN for s in scores[1:]):
        return meant[scores[0].nos, scores[0].source], False
    if not any(_is_base(nos, source) for nos, source, _ in known):
        first = next((one for one in known if all_nos()[one[0]].is_host), known[0])
        return (meant[scores[0].nos, scores[0].source] if scores else first), True
    systems = ", ".join(nos for nos, _, _ in known)
    message = f"its header names the command {header.command[:80]!r}, which exists on {systems}"
    raise AmbiguousFormat(f"{message}, and the content fits more than one", location=name)


@dataclass(slots=True)
class _Score:
    points: int
    nos: str
    source: str
    why: list[str]

    def __str__(self) -> str:
        return f"{self.nos} {self.source} ({self.points}: {', '.join(self.why)})"


_Among = frozenset[tuple[str, str]] | str | None
"""Sources by system and name, of one system or of all."""


def _best(name: str, text: str, only: _Among) -> list[_Score]:
    """All sources that score, the best first."""
    best = _score(name, _dense(text[:PROBE]), only)
    if len(text) <= PROBE or _is_decided(best):
        return best
    best = _score(name, _dense(text[:HEAD] + "\n" + text[HEAD:][-TAIL:]), only)
    if not best and len(text) > HEAD + TAIL:
        best = _score(name, _dense(text[:FAR]), only)
    return best


def _dense(text: str) -> str:
    """Remove blank lines: patterns that begin with blanks would cross them from each line."""
    return "\n".join([line for line in text.split("\n") if line and not line.isspace()])


def _is_decided(best: list[_Score]) -> bool:
    if not best or best[0].points < CERTAIN:
        return False
    return all(s.points <= best[0].points - MARGIN for s in best[1:])


def _unknown(name: str, header: Header | None, weak: list[_Score]) -> UnknownFormat:
    if header is not None:
        message = f"its header names the command {header.command[:80]!r}, which is not supported"
        kind = UnreadOutput if _is_unread(header.command) else UnknownFormat
        return kind(message, location=name)
    if _is_unread(_leaf(name)):
        return UnreadOutput("an output that is not read (by its file name)", location=name)
    message = "no reader recognises it"
    hint = f"the nearest is {weak[0]}" if weak else None
    return UnknownFormat(message, location=name, hint=hint)


def _score(name: str, text: str, only: _Among) -> list[_Score]:
    scored = _scores(only)
    lines = text.split("\n")
    begun = {line[:HEADS] for line in lines}
    stripped = {line.lstrip()[:HEADS] for line in lines}
    begun |= {head[:SHORT] for head in begun}
    stripped |= {head[:SHORT] for head in stripped}
    met: dict[int, Signature] = {}
    for index, heads in ((scored.begun, begun | {""}), (scored.stripped, stripped)):
        for head in heads & index.keys():
            for number, find, sign in index[head]:
                if number not in met and find(text):
                    met[number] = sign
    why: dict[int, list[tuple[int, str]]] = {}
    for number in sorted(met):
        why.setdefault(scored.owners[number], []).append((met[number].weight, met[number].why))
    leaf = _leaf(name)
    for owner, search in scored.names:
        if search(leaf):
            why.setdefault(owner, []).append((FILE_NAME_SCORE, "file name"))
    scores = []
    for owner, reasons in why.items():
        points = sum(weight for weight, _ in reasons)
        if points > 0:
            nos, source = scored.sources[owner]
            scores.append(_Score(points, nos, source, [why for _, why in reasons]))
    scores.sort(key=lambda s: (-s.points, s.nos, s.source))
    return scores


HEADS, SHORT = 4, 3
"""Characters at the start of a line, by which most signatures are excluded at once; fewer for
shorter signatures."""

_Index = dict[str, list[tuple[int, Search, Signature]]]
"""Signatures by the required beginning of a line: number, search function, signature."""


@dataclass(slots=True)
class _Scores:
    """All sources (NOS and name), and an index of their signatures."""

    sources: list[tuple[str, str]] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)  # the source of each signature
    names: list[tuple[int, Search]] = field(default_factory=list)
    begun: _Index = field(default_factory=dict)
    stripped: _Index = field(default_factory=dict)

    def add(self, sign: Signature) -> None:
        """Add a signature of the latest source."""
        heads = heads_of(sign.pattern, HEADS)
        if "" in heads.texts:
            heads = heads_of(sign.pattern, SHORT)
        entry = (len(self.owners), searcher(sign), sign)
        self.owners.append(len(self.sources) - 1)
        for head in heads.texts:
            (self.stripped if heads.stripped else self.begun).setdefault(head, []).append(entry)


@cache
def _scores(only: _Among) -> _Scores:
    scored = _Scores()
    for nos in all_nos().values():
        for source in nos.sources if not isinstance(only, str) or only == nos.name else ():
            if isinstance(only, frozenset) and (nos.name, source.name) not in only:
                continue
            scored.sources.append((nos.name, source.name))
            if source.file_name:
                scored.names.append((len(scored.sources) - 1, _name_search(source.file_name)))
            for sign in source.signatures:
                scored.add(sign)
    return scored


def _name_search(pattern: str) -> Search:
    """Search names for a pattern, compiled when a name contains a required literal."""
    needed = literals_of(pattern).needed

    def search(name: str) -> re.Match[str] | None:
        if needed and not any(word in name for word in needed):
            return None
        return re.search(pattern, name)

    return search


_Command = tuple[str, str, tuple[tuple[str, str], ...]]
"""NOS, source and arguments of a command."""


@lru_cache(maxsize=4096)
def _by_command(command: str, only: str | None) -> tuple[_Command, ...]:
    """The sources of a command, one for each NOS that has it."""
    if len(command) > COMMAND_LIMIT:
        return ()
    found: dict[str, _Command] = {}
    for nos in all_nos().values():
        for source in nos.sources if only in (None, nos.name) else ():
            match = re.fullmatch(source.command, command) if source.command else None
            if match and nos.name not in found:
                args = tuple((k, v) for k, v in match.groupdict().items() if v is not None)
                found[nos.name] = nos.name, source.name, args
    return tuple(found.values())


def _name_args(source: Source, name: str) -> dict[str, str]:
    if source.file_name is None:
        return {}
    match = re.search(source.file_name, _leaf(name))
    return {k: v for k, v in match.groupdict().items() if v is not None} if match else {}


def _leaf(name: str) -> str:
    return name.rsplit("!", 1)[-1].rsplit("/", 1)[-1]
