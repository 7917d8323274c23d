#!/bin/sh
# Becomes a command that ends when standard input closes, which also happens when the parent is killed with -9.
# Usage: end-with-parent.sh <seconds from SIGTERM to SIGKILL> <command> [argument…], in a process group of its own.
grace=$1
shift
exec 3<&0
# The watcher outlives its shell, so that the command does not have it as a child.
(
  {
    trap '' HUP INT TERM
    while read -r _ <&3; do :; done
    kill -TERM $$
    while [ "$grace" -gt 0 ] && kill -0 $$; do
      sleep 1
      grace=$((grace - 1))
    done
    kill -KILL $$
    # What is left of the process group.
    kill -TERM 0
  } >/dev/null 2>&1 &
)
exec "$@" </dev/null 3<&-
