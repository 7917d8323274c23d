#!/bin/sh
# Starts a Redis of compose.sentinel.yml: the primary that the sentinels name, or a replica of it.
set -eu
. /redis/servers.sh
# Sentinel and Redis keep in this file whose replica this server is.
config=/data/redis.conf

primary_of() {
  ask "$1" 6379 INFO replication | sed -n 's/^master_host://p'
}

# The primary by the sentinel that has seen the latest failover, if any responds.
current_primary() {
  for sentinel in $SENTINELS; do
    epoch=$(ask "$sentinel" 26379 SENTINEL MASTER mymaster | sed -n '/^config-epoch$/{n;p;}')
    # The sentinel that leads a failover has the former address beside the new epoch for a second.
    address=$(ask "$sentinel" 26379 SENTINEL GET-MASTER-ADDR-BY-NAME mymaster | head -1)
    [ -z "$epoch" ] || [ -z "$address" ] || echo "$epoch $address"
  done | sort -n | awk '{ primary = $2 } END { print primary }'
}

wait_for_promotion "$SERVER"
primary=$(current_primary)
if [ -z "$primary" ] && [ ! -e $config ]; then primary=${SERVERS%% *}; fi
touch $config
# The password may be another since the last start.
sed -i '/^user default /d' $config
if [ -n "$primary" ]; then
  sed -i '/^replicaof /d' $config
  [ "$primary" = "$SERVER" ] || echo "replicaof $primary 6379" >>$config
fi
start_server $config --replica-announce-ip "$SERVER"
