#!/usr/bin/env bash
# Every rule that code judges, that the manager refuses a driver by, or that docs/coverage.md names, has one row in the rule table.
#
#   scripts/check-rules.sh [ROOT]
#
# Exit code: 0 yes, 1 no. scripts/rule-tables.py reads the sources, scripts/coverage-of-pages.py the table of sentences.
here="$(dirname "$0")"
python3 "$here/rule-tables.py" --check "${1:-$here/..}" && exec python3 "$here/coverage-of-pages.py"
