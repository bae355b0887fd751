"""For developers of roce-lint: files that are generated (`python -m roce_lint.dev`)."""
