"""The fabric as a drawing: nodes by tier and rail, and an edge between linked nodes.

A large fabric is not drawn device by device: devices of one tier, rail and unit with the same
findings are one node, and their cables one edge.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from roce_lint.engine.finding import Pairs, Severity
from roce_lint.model.device import Role
from roce_lint.pipeline import placement
from roce_lint.report.html.coverage import percent
from roce_lint.report.html.pods import HEAD, Frame, around_pods, around_rails, columns, slots
from roce_lint.report.wording import crowd, one_line
from roce_lint.text.names import compress, first_names
from roce_lint.text.numbers import count, whole_part

SINGLE = 64
"""Largest number of nodes; up to so many devices each has its own node."""

NAMED = 4
"""Links named on an edge with several cables, the broken ones first."""

LINES = 1500
"""Largest number of edges; healthy ones are left out first."""

WIDTH, LABELS, EDGE = 1120, 92, 12
"""Width of the drawing, left margin for the names of the tiers, and right margin."""

ROW, TOP = 128, 16
UPRIGHT = 78
"""Width below which a node's name is written upright."""

STEPS = (0.1, 0.5)
"""Shares of all pairs at which a fault is drawn darker."""

UNREAD_LABEL = "no configuration"
"""Label of a switch without a configuration."""

_RANK: dict[placement.State, int] = {"holds": 0, "unknown": 1, "warned": 2, "broken": 3}


@dataclass(slots=True)
class Node:
    """A device, or several devices drawn as one."""

    names: list[str]
    tier: int
    state: placement.State
    findings: list[int]
    label: str = ""
    detail: str = ""
    title: str = ""
    unread: bool = False
    share: int = 0  # step of STEPS for the pairs that its faults break; 0 if unknown
    upright: bool = False
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0

    @property
    def centre(self) -> float:
        """Horizontal centre."""
        return round(self.x + self.width / 2, 1)

    @property
    def mark(self) -> str:
        """Number of findings, unless they are only infos."""
        if self.state in ("holds", "unknown"):
            return ""
        return str(len(self.findings)) if len(self.findings) < 1000 else "999+"

    @property
    def middle(self) -> float:
        """Vertical centre."""
        return self.y + self.height / 2


@dataclass(slots=True)
class Edge:
    """All cables between two nodes."""

    key: str
    state: placement.State
    findings: list[int]
    cables: int
    bad: int
    title: str
    share: int = 0
    path: str = ""
    ends: tuple[int, int] = (0, 0)


@dataclass(slots=True)
class Drawing:
    """Nodes, edges, names of tiers and rails, and notes on hidden parts."""

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    tiers: list[tuple[str, float]] = field(default_factory=list)
    rails: list[tuple[str, float, float]] = field(default_factory=list)
    pods: list[Frame] = field(default_factory=list)
    rail_frames: list[Frame] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    height: int = 0
    folded: bool = False
    at: dict[str, int] = field(default_factory=dict)

    width: int = WIDTH

    @property
    def graded(self) -> bool:
        """True if colours show how many pairs a fault breaks."""
        return any(node.share for node in self.nodes) or any(edge.share for edge in self.edges)

    @property
    def unread(self) -> bool:
        """True if a switch without a configuration is drawn."""
        return any(node.unread for node in self.nodes)

    def edges_along(self, devices: list[str]) -> list[str]:
        """Keys of the edges on a path."""
        numbers = [self.at[name] for name in devices if name in self.at]
        keys = {edge.key for edge in self.edges}
        steps = (_key(a, b) for a, b in pairwise(numbers) if a != b)
        return [key for key in dict.fromkeys(steps) if key in keys]

    def nodes_along(self, devices: list[str]) -> list[int]:
        """Numbers of the nodes on a path."""
        return list(dict.fromkeys(self.at[name] for name in devices if name in self.at))


def draw(plan: placement.Placement, page: placement.PageFindings) -> Drawing:
    """Draw a fabric; empty if no device is known."""
    made = Drawing()
    made.nodes = _nodes(plan, page)
    made.folded = any(len(node.names) > 1 for node in made.nodes)
    made.at = {name: n for n, node in enumerate(made.nodes) for name in node.names}
    _place(made, plan)
    made.edges = _edges(made, plan, page)
    _note(made, plan)
    return made


def _nodes(plan: placement.Placement, page: placement.PageFindings) -> list[Node]:
    linked = {end.device.hostname for link in plan.links for end in link.ends}
    names = [n for n in plan.devices if n in linked or plan.tier[n] != placement.OTHERS]
    groups = _group(names, plan, page)
    nodes = []
    for group in groups:
        group.sort(key=plan.order)
        findings = sorted({n for name in group for n in page.on_device.get(name, ())})
        states = [_state(name, plan, page) for name in group]
        node = Node(group, plan.tier[group[0]], max(states, key=lambda s: _RANK[s]), findings)
        node.unread = group[0] in plan.unread
        nodes.append(_node(node, plan, page))
    nodes.sort(key=lambda n: (-n.tier, plan.order(n.names[0])))
    return nodes


def _state(name: str, plan: placement.Placement, page: placement.PageFindings) -> placement.State:
    """State of a device; unknown if it was not read."""
    return "unknown" if name in plan.unread else page.of_device(name)


def _group(
    names: list[str], plan: placement.Placement, page: placement.PageFindings
) -> list[list[str]]:
    """Each device alone if there are few, else groups with the same properties, as fine as fits."""
    ways: list[Callable[[str], Hashable]] = [
        lambda n: n,
        lambda n: (plan.tier[n], plan.unit.get(n), plan.rail.get(n), _state(n, plan, page)),
        lambda n: (plan.tier[n], plan.part.get(n), plan.rail.get(n), _state(n, plan, page)),
        lambda n: (plan.tier[n], plan.rail.get(n), _state(n, plan, page)),
        lambda n: (plan.tier[n], _state(n, plan, page)),
    ]
    groups: dict[Hashable, list[str]] = {}
    for way in ways:
        groups = {}
        for name in names:
            groups.setdefault(way(name), []).append(name)
        if len(groups) <= SINGLE:
            break
    return list(groups.values())


def _node(node: Node, plan: placement.Placement, page: placement.PageFindings) -> Node:
    roles = {name: role.value for name in node.names if (role := plan.devices[name].role)}
    who = one_line(compress(node.names, 4))
    rail = plan.rail.get(node.names[0])
    text = findings_text(page.count(node.findings))
    if node.unread:
        text = "not checked"
    if len(node.names) == 1:
        node.label = who
        node.detail = f"rail {rail}" if rail else UNREAD_LABEL if node.unread else ""
    else:
        node.label = crowd(node.names, dict.fromkeys(node.names, None) | roles)
        node.detail = who
    node.share = _step(node.findings, page)
    node.title = f"{node.label} {node.detail}".strip() + f": {text}"
    node.title += _affected_text(node.findings, page)
    return node


def _worst(numbers: Iterable[int], page: placement.PageFindings) -> Pairs | None:
    """Pairs of the error with the largest impact; all together may affect more."""
    reached = (page.findings[n] for n in numbers)
    known = [f.pairs for f in reached if f.severity is Severity.ERROR and f.pairs is not None]
    return max(known, key=lambda pairs: pairs.hit, default=None)


def _step(numbers: Iterable[int], page: placement.PageFindings) -> int:
    """Impact of the worst error as a step: 1, 2 and so on; 0 if unknown."""
    worst = _worst(numbers, page)
    if worst is None or not worst.hit:
        return 0
    return 1 + sum(worst.hit >= step * worst.all for step in STEPS)


def _affected_text(numbers: Iterable[int], page: placement.PageFindings) -> str:
    worst = _worst(numbers, page)
    if worst is None or not worst.hit:
        return ""
    return f"; affects at least {percent(worst.hit, worst.all)} of the {worst.ends} pairs"


def findings_text(counts: dict[str, int]) -> str:
    """`2 errors, 1 warning`, or `no finding`."""
    parts = [
        count(number, word, "info" if word == "info" else "")
        for word, number in counts.items()
        if number
    ]
    return ", ".join(parts) or "no finding"


def _place(made: Drawing, plan: placement.Placement) -> None:
    """Place the nodes: tiers below each other, equal room for each node of one."""
    room = WIDTH - LABELS - EDGE
    pods = columns(made.nodes, plan, LABELS, room)
    y: float = TOP + (HEAD if pods else 0)
    for tier in sorted({node.tier for node in made.nodes}, reverse=True):
        row = [node for node in made.nodes if node.tier == tier]
        places = slots(row, plan, pods, LABELS, room)
        upright = min(slot for _, slot in places) < UPRIGHT
        height = 96 if upright else 46
        made.tiers.append((_title(tier, row, plan), y + height / 2))
        for node, (begin, slot) in zip(row, places, strict=True):
            node.upright = upright
            node.width = round(min(slot - 4, 26) if upright else min(slot - 14, 148), 1)
            node.height = height
            node.x = round(begin + (slot - node.width) / 2, 1)
            node.y = y
            _fit(node)
        if made.folded or upright:
            made.rails += _spans(row, plan, y + height + 16)
        made.rail_frames += around_rails(row, plan)
        y += height + ROW - 46
    made.pods = around_pods(made.nodes, plan, pods)
    made.height = whole_part(y - ROW + 46 + 26)


def _title(tier: int, row: list[Node], plan: placement.Placement) -> str:
    """Name of a tier; `switches` if no role is known."""
    roles = {plan.devices[name].role for node in row for name in node.names}
    if tier == placement.LEAVES and Role.LEAF not in roles:
        return "switches"
    return placement.TITLES.get(tier, f"tier {tier}")


def _fit(node: Node) -> None:
    """Cut texts to the node: a letter takes about 7.5 units, a small one 6.6."""
    letters = 13 if node.upright else int((node.width - 14) / 7.5)
    node.label = _cut(node.label, letters)
    node.detail = "" if node.upright else _cut(node.detail, int((node.width - 14) / 6.6))


def _cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: max(letters - 1, 1)] + "\N{HORIZONTAL ELLIPSIS}"


def _spans(row: list[Node], plan: placement.Placement, y: float) -> list[tuple[str, float, float]]:
    """Rails of nodes without room for their names, written below them."""
    spans: list[tuple[int, list[Node]]] = []
    for node in row:
        rail = plan.rail.get(node.names[0])
        if rail is None or node.tier == placement.HOSTS:
            continue
        if not spans or spans[-1][0] != rail or _unit(spans[-1][1][-1], plan) != _unit(node, plan):
            spans.append((rail, []))
        spans[-1][1].append(node)
    return [
        (f"rail {rail}", round((nodes[0].centre + nodes[-1].centre) / 2, 1), y)
        for rail, nodes in spans
    ]


def _unit(node: Node, plan: placement.Placement) -> int | None:
    return plan.unit.get(node.names[0])


def _edges(made: Drawing, plan: placement.Placement, page: placement.PageFindings) -> list[Edge]:
    cables: dict[tuple[int, int], list[tuple[str, list[int]]]] = defaultdict(list)
    for link in plan.links:
        a, b = (made.at.get(end.device.hostname) for end in link.ends)
        if a is None or b is None or a == b:
            continue
        numbers = page.of_link(*(end.key for end in link.ends))
        cables[min(a, b), max(a, b)].append((f"{link.a} - {link.b}", numbers))
    edges = []
    for (a, b), found in sorted(cables.items()):
        numbers = sorted({n for _, own in found for n in own})
        bad = sum(1 for _, own in found if page.state(own) != "holds")
        rules = ", ".join(sorted({page.findings[n].rule for n in numbers}))
        name = found[0][0] if len(found) == 1 else f"{made.nodes[a].label} - {made.nodes[b].label}"
        many = f" ({bad} of {count(len(found), 'link')})" if bad else f" ({len(found)} links)"
        title = one_line(name) + (many if len(found) > 1 else "") + (f": {rules}" if rules else "")
        if len(found) > 1:
            worst = sorted(found, key=lambda cable: page.state(cable[1]) == "holds")
            title += f"; {one_line(first_names([cable for cable, _ in worst], NAMED))}"
        state = page.state(numbers)
        if state == "holds" and (made.nodes[a].unread or made.nodes[b].unread):
            state = "unknown"
        edge = Edge(_key(a, b), state, numbers, len(found), bad, title)
        edge.ends = (a, b)
        edge.share = _step(numbers, page)
        edge.title += _affected_text(numbers, page)
        edges.append(edge)
    edges.sort(key=lambda edge: _RANK[edge.state])
    drawn = edges[-LINES:]
    if len(drawn) < len(edges):
        made.notes.append(f"{count(len(edges) - len(drawn), 'line')} without fault not drawn.")
    _route(made, drawn)
    return drawn


def _key(a: int, b: int) -> str:
    return f"{min(a, b)}-{max(a, b)}"


def _route(made: Drawing, edges: list[Edge]) -> None:
    """Route edges side by side, in the order of the nodes they lead to."""
    doors: dict[int, list[tuple[float, int, int]]] = defaultdict(list)
    for number, edge in enumerate(edges):
        a, b = edge.ends
        for one, other in ((a, b), (b, a)):
            side = 0 if made.nodes[other].y <= made.nodes[one].y else 1
            doors[one * 2 + side].append((made.nodes[other].centre, other, number))
    at: dict[tuple[int, int], float] = {}
    for door, lines in doors.items():
        node = made.nodes[door // 2]
        lines.sort()
        for place, (_, _, number) in enumerate(lines, 1):
            share = place / (len(lines) + 1)
            at[door // 2, number] = round(node.x + node.width * (0.1 + 0.8 * share), 1)
    for number, edge in enumerate(edges):
        a, b = edge.ends
        upper, lower = sorted((a, b), key=lambda n: made.nodes[n].y)
        x1, x2 = at[upper, number], at[lower, number]
        top, bottom = made.nodes[upper], made.nodes[lower]
        if top.y == bottom.y:
            edge.path = f"M{x1} {top.y:g}Q{(x1 + x2) / 2:g} {top.y - 40:g} {x2} {bottom.y:g}"
        else:
            edge.path = f"M{x1} {top.y + top.height:g}L{x2} {bottom.y:g}"


def _note(made: Drawing, plan: placement.Placement) -> None:
    if made.folded:
        made.notes.insert(
            0,
            "Devices of the same tier, rail and unit with the same findings share a box "
            f"({len(plan.devices)} devices, {len(made.nodes)} boxes).",
        )
    alone = len(plan.devices) - len(made.at)
    if alone:
        others = count(alone, "device")
        made.notes.append(f"{others} of another role, without a link to RoCE, not drawn.")
    if plan.unread:
        names = one_line(compress(plan.unread, 8))
        made.notes.append(f"No configuration for {names}; paths through them are not checked.")
    if made.nodes and not made.edges:
        made.notes.append("No link is known: provide links.yaml, LLDP output or /31 addresses.")
