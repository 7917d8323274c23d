#!/bin/sh
# Runs a command and ends it when standard input closes, which also happens when the parent is killed with -9.
# Usage: end-with-parent.sh <seconds from SIGTERM to SIGKILL> <command> [argument…]; exits as the command does.
grace=$1
shift
exec 3<&0
"$@" </dev/null 3<&- &
pid=$!
{
  while read -r _ <&3; do :; done
  kill -TERM "$pid"
  while [ "$grace" -gt 0 ] && kill -0 "$pid"; do
    sleep 1
    grace=$((grace - 1))
  done
  kill -KILL "$pid"
} >/dev/null 2>&1 &
wait "$pid"
status=$?
# Whatever is left of this process group, the loop above included, goes too.
trap '' TERM
kill -TERM 0
exit "$status"
