"""For developers of roce-lint: generated files (`python -m roce_lint.dev`)."""
