"""The intent of a fabric that exists: what most of it does, and what is otherwise where."""
