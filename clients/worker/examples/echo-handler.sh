#!/bin/sh
# Answers a task with its own message. A handler gets the task as one line of JSON on stdin, and prints its result, JSON
# too.
message=$(awk 'match($0, /"message":"([^"\\]|\\.)*"/) { print substr($0, RSTART + 10, RLENGTH - 10) }')
# What goes to stderr is for the worker's log.
echo "answering task $FLEET_TASK_ID, attempt $FLEET_ATTEMPT" >&2
printf '{"echo":%s}\n' "$message"
