#!/bin/sh
# Imports a file every night: sh examples/nightly.sh FILE [FLAGS]
# Prints what came of it as one line of JSON and ends with the exit code of the import, which a pipe into jq would hide.
result=$(svc events import "$@" --resume --json --quiet)
code=$?
printf '%s\n' "$result" | jq -c '{accepted, skipped, rejected, unsent}'
exit "$code"
