"""The Python interface: a fabric that was read, and questions to it."""
