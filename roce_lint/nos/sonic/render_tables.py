"""Tables of config_db.json as they are filled: rows by key, and names for rows that are alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]


@dataclass(slots=True)
class Tables:
    """Rows of fields by table and key."""

    rows: dict[str, dict[str, Row]] = field(default_factory=dict)

    def row(self, table: str, key: str, /, **fields: Any) -> None:
        """Put fields into a row, which is made where it is not there."""
        self.rows.setdefault(table, {}).setdefault(key, {}).update(fields)

    def name_row(self, table: str, name: str, row: Row) -> str:
        """The name of a row with these fields: that of one which has them, else `name`, with a
        number where another row is called so.
        """
        known = self.rows.setdefault(table, {})
        for number in range(1, len(known) + 2):
            free = name if number == 1 else f"{name}_{number}"
            if known.setdefault(free, row) == row:
                return free
        raise AssertionError(name)  # of n rows at most n names are taken

    def sort(self) -> dict[str, dict[str, Row]]:
        """All tables by name, as the device itself prints them; rows stay in the order of ports."""
        return {table: self.rows[table] for table in sorted(self.rows) if self.rows[table]}
