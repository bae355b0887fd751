#!/usr/bin/env bash
# The checking step of action.yml: annotations on standard output, a summary for the page of the run,
# SARIF and JSON files. Inputs are variables, so that none of them can be a command.
set -uo pipefail

report=$(mktemp -d "${RUNNER_TEMP:-/tmp}/roce-lint-report.XXXXXX")
command=("${ROCE_LINT:-roce-lint}" check --format github)
command+=(--output "sarif=$report/roce-lint.sarif" --output "json=$report/roce-lint.json")
# The command itself writes the summary of the step (GITHUB_STEP_SUMMARY).
[ -z "${REPOSITORY:-}" ] || command+=(--help-url "${SERVER_URL:-}/$REPOSITORY/blob/${REF:-HEAD}/rules/{page}")
[ -z "${FAIL_ON:-}" ] || command+=(--fail-on "$FAIL_ON")
[ -z "${REQUIRE:-}" ] || command+=(--require "$REQUIRE")
[ "${STRICT:-false}" != true ] || command+=(--strict)
while IFS= read -r word; do
  [ -z "$word" ] || command+=("$word")
done <<< "${ARGS:-}"
command+=(--)
while IFS= read -r path; do
  [ -z "$path" ] || command+=("$path")
done <<< "${PATHS:-.}"

status=0
"${command[@]}" || status=$?

output() { # NAME VALUE: an output of the step
  [ -z "${GITHUB_OUTPUT:-}" ] || printf '%s=%s\n' "$1" "$2" >> "$GITHUB_OUTPUT"
}

output status "$status"
if [ -s "$report/roce-lint.json" ]; then
  output json "$report/roce-lint.json"
  output sarif "$report/roce-lint.sarif"
  verdict=$(sed -n 's/^ *"verdict": "\([a-z-]*\)".*/\1/p' "$report/roce-lint.json" | head -n 1)
  output verdict "$verdict"
fi
exit "$status"
