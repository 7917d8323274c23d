#!/bin/sh
# Health check of a Redis of compose.sentinel.yml or compose.cluster.yml: it responds, its cluster serves and has
# assigned all slots, and a replica follows its primary.
set -eu
. /redis/servers.sh
[ "$(ask 127.0.0.1 6379 PING)" = PONG ]
# Without a cluster the reply is an error.
! { ask 127.0.0.1 6379 CLUSTER INFO; ask 127.0.0.1 6379 INFO replication; } |
  grep -v '^cluster_slots_assigned:16384$' |
  grep -qE '^(cluster_state:fail|cluster_slots_assigned|master_link_status:down)'
