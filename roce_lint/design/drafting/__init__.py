"""Draft of the intent of an existing fabric: the common design, and deviations."""
