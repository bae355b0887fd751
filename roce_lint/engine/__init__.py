"""The rule engine: pages, checks, outcomes, folding, findings."""
