"""What a change of lines makes of a device, before anything is judged."""

from __future__ import annotations

from roce_lint.fix.equals import Way
from roce_lint.fix.files import ConfigFile
from roce_lint.fix.law import PERSON, forbidden, makes_lossless, paused_code_points
from roce_lint.fix.prove import Proof, State
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from roce_lint.model.object_diff import Difference

NOTHING = "it changes nothing"


class Changes:
    """Reads devices by themselves with lines changed, and keeps what was found."""

    def __init__(self, proof: Proof, state: State, files: dict[str, ConfigFile]):
        self._proof = proof
        self._files = files
        self._devices = state.devices
        analysis = state.report.analysis
        modes = analysis.modes.values() if analysis is not None else ()
        self._priorities = frozenset(m.priority for m in modes if m.priority is not None)
        self._paused = paused_code_points(analysis) if analysis is not None else frozenset()
        self._as_is: dict[str, Device | None] = {}
        self._known: dict[Way, tuple[list[Difference], str]] = {}

    def of(self, way: Way) -> list[Difference]:
        """What differs in the model."""
        return self._look_at(way)[0]

    def refusal(self, way: Way) -> str:
        """Why a way is not worth a proof; empty where it is."""
        return self._look_at(way)[1]

    def _look_at(self, way: Way) -> tuple[list[Difference], str]:
        found = self._known.get(way)
        if found is None:
            found = self._known[way] = self._read(way)
        return found

    def _read(self, way: Way) -> tuple[list[Difference], str]:
        found: list[Difference] = []
        try:
            texts = self._proof.texts(way, self._files)
        except ValueError as error:
            return [], str(error)
        for name in sorted({each.device for each in way}):
            device = self._devices[name]
            if name not in self._as_is:
                self._as_is[name] = self._proof.read(device, {})
            before, after = self._as_is[name], self._proof.read(device, texts)
            if before is None or after is None:
                return [], "the device cannot be read by itself"
            if before.stated("hostname") and not after.stated("hostname"):
                return [], f"its host name: {PERSON}"
            own = differences(before, after)
            reason = forbidden(own, self._priorities)
            reason = reason or makes_lossless(before, after, self._paused)
            if reason:
                return own, reason
            found += own
        return found, "" if found else NOTHING
