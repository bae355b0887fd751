"""Names of the sources of Cumulus Linux."""

from __future__ import annotations

COMMANDS = "nvue-commands"
DOCUMENT = "nvue-yaml"
DATAPATH = "datapath"
INTERFACES = "interfaces"
NCLU = "nclu-commands"
