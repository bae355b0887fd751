"""The site standard: intent.yaml."""
