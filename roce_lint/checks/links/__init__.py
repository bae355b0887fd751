"""Both ends of a cable."""
