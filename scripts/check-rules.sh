#!/usr/bin/env bash
# Every rule that code judges, or that the manager refuses a driver by, has one row in the rule table.
#
#   scripts/check-rules.sh [ROOT]
#
# Exit code: 0 yes, 1 no. scripts/rule-tables.py reads the sources.
exec python3 "$(dirname "$0")/rule-tables.py" --check "${1:-$(dirname "$0")/..}"
