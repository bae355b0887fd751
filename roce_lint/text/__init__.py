"""Text with positions: files, sections, records and trees. Knows no networking."""
