"""What the site wants, written down: intent.yaml."""
