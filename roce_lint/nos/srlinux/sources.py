"""Names of the sources of SR Linux."""

from __future__ import annotations

CONFIG = "config"
JSON = "config-json"
