"""The whole analysis in its order: scope, classes, design mode, packet sizes."""

from __future__ import annotations

from roce_lint.analysis.answers import same_facts
from roce_lint.analysis.classes import find_classes
from roce_lint.analysis.mode import find_modes
from roce_lint.analysis.packet import find_required
from roce_lint.analysis.representatives import find_kinds
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.scope import find_bare, find_scope
from roce_lint.analysis.tags import settle_tags
from roce_lint.model.fabric import Fabric
from roce_lint.model.plan import RocePlan


def analyse(fabric: Fabric, plan: RocePlan, like: Analysis | None = None) -> Analysis:
    """Find out what is judged in a fabric, and against what. `like` is that of a fabric of which
    this one shares what was not changed.
    """
    settle_tags(fabric)
    analysis = Analysis(fabric)
    analysis.told = frozenset(map(id, fabric.told))
    if like is not None:
        analysis.shares(like)
    find_scope(fabric, analysis, plan)
    find_kinds(analysis, like)
    find_classes(analysis, plan)
    find_bare(analysis)
    find_modes(analysis, plan)
    find_required(analysis, plan)
    if like is not None and same_facts(like, analysis):
        analysis.known = like.answers
    return analysis
