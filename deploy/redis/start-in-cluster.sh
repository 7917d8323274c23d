#!/bin/sh
# Starts a Redis of compose.cluster.yml.
set -eu
. /redis/servers.sh

# The id of the primary that a server is a replica of.
primary_of() {
  ask "$1" 6379 CLUSTER NODES | awk '$3 ~ /myself/ && $4 != "-" { print $4 }'
}

own_id=$(awk '$3 ~ /myself/ { print $1 }' /data/nodes.conf 2>/dev/null || true)
[ -z "$own_id" ] || wait_for_promotion "$own_id"
sh /redis/join-cluster.sh &
# After two failures, the spare replica moves to the primary that has none.
start_server --cluster-enabled yes --cluster-node-timeout 3000 --cluster-migration-barrier 1 \
  --cluster-require-full-coverage no --cluster-announce-ip "$(hostname -i)"
