"""One more leaf for a fabric: a copy of a sister with the numbers of its own."""
