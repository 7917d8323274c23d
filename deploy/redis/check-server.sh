#!/bin/sh
# Health check of a Redis of compose.sentinel.yml: it responds, and a replica follows its primary.
set -eu
. /redis/servers.sh
[ "$(ask 127.0.0.1 6379 PING)" = PONG ]
! ask 127.0.0.1 6379 INFO replication | grep -q '^master_link_status:down'
