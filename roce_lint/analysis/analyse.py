"""Steps of the analysis in order: tagging, scope, classes, design mode, packet sizes."""

from __future__ import annotations

from roce_lint.analysis.classes import find_classes
from roce_lint.analysis.mode import find_modes
from roce_lint.analysis.packet import find_required
from roce_lint.analysis.representatives import find_kinds
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.reuse import reuse_of, same_facts
from roce_lint.analysis.scope import find_bare, find_scope
from roce_lint.model.fabric import Fabric
from roce_lint.model.plan import RocePlan


def settle_tags(fabric: Fabric) -> None:
    """Set the tagging of an end that does not state it to that of the other end.

    A routed or access port sends and accepts untagged packets, so the other end of its cable does
    too. A port behind an assumed link learns nothing.
    """
    for link in fabric.links:
        ports = link.a.interface, link.b.interface
        for port, peer in (ports, ports[::-1]) if ports[0].tagged is not ports[1].tagged else ():
            # A trunk may carry tagged packets of other VLANs too.
            learns = port.tagged is None and peer.tagged is False and not port.tagged_vlans
            if learns and not link.assumed:
                port.tagged = peer.tagged
                fabric.inferred_tagging.append(port)


def forget_tags(fabric: Fabric) -> None:
    """Forget inferred tagging: another state of the fabric may share the devices."""
    for port in fabric.inferred_tagging:
        port.tagged = None
    fabric.inferred_tagging.clear()


def analyse(fabric: Fabric, plan: RocePlan, like: Analysis | None = None) -> Analysis:
    """Analyse a fabric. `like` analyses another state of it that shares all unchanged objects."""
    settle_tags(fabric)
    analysis = Analysis(fabric)
    analysis.link_tagged = frozenset(map(id, fabric.inferred_tagging))
    if like is not None:
        analysis.treatments = like.treatments
    find_scope(fabric, analysis, plan)
    find_kinds(analysis, like)
    find_classes(analysis, plan)
    find_bare(analysis)
    find_modes(analysis, plan)
    find_required(analysis, plan)
    if like is not None and same_facts(like, analysis):
        reuse_of(analysis).earlier = reuse_of(like).recorded
    return analysis
