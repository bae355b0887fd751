"""Links: both ends of a cable, and the records about it."""
