"""How a code point becomes a class."""
