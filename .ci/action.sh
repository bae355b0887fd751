#!/usr/bin/env bash
# The checking step of action.yml: annotations on standard output, a summary for the page of the run,
# SARIF and JSON files. Inputs are variables, so that none of them can be a command.
set -uo pipefail

report=$(mktemp -d "${RUNNER_TEMP:-/tmp}/roce-lint-report.XXXXXX")
roce_lint=${ROCE_LINT:-roce-lint}
case "${FIX:-}" in
  true) fix=("$roce_lint" fix --write) ;;
  disruptive) fix=("$roce_lint" fix --write --disruptive) ;;
  "") fix=() ;;
  *) echo "roce-lint: fix: true or disruptive, not $FIX" >&2; exit 2 ;;
esac
command=("$roce_lint" check --format github)
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
  [ -n "$path" ] || continue
  command+=("$path")
  # The check has the status of the step; `fix` prints what it wrote and why the rest is left.
  [ ${#fix[@]} -eq 0 ] || "${fix[@]}" -- "$path" || true
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
