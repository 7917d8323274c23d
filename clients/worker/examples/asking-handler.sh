#!/bin/sh
# Asks a person, and goes on as echo-handler.sh.
task=$(cat)
[ "$(fleet ask --option yes=Yes --option no=No 'Shall I answer?')" = yes ] || exit 1
printf '%s\n' "$task" | "$(dirname "$0")/echo-handler.sh"
