"""The whole analysis in its order: scope, classes, design mode, packet sizes."""

from __future__ import annotations

from roce_lint.analysis.classes import find_classes
from roce_lint.analysis.distinct import find_kinds
from roce_lint.analysis.mode import find_modes
from roce_lint.analysis.packet import find_required
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.scope import find_scope
from roce_lint.analysis.tags import settle_tags
from roce_lint.model.fabric import Fabric
from roce_lint.model.plan import RocePlan


def analyse(fabric: Fabric, plan: RocePlan) -> Analysis:
    """Find out what is judged in a fabric, and against what."""
    settle_tags(fabric)
    analysis = Analysis(fabric)
    find_scope(fabric, analysis, plan)
    find_kinds(analysis)
    find_classes(analysis, plan)
    find_modes(analysis, plan)
    find_required(analysis, plan)
    return analysis
