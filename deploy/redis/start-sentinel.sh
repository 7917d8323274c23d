#!/bin/sh
# Starts a sentinel of compose.sentinel.yml, which keeps what it has learnt in its volume.
set -eu
. /redis/servers.sh
config=/data/sentinel.conf

# The primary with the most replicas; at the very first start no replica may be there yet.
find_primary() {
  for server in $SERVERS; do
    ask "$server" 6379 INFO replication |
      awk -F: -v server="$server" '{ value[$1] = $2 } value["role"] == "master" && $1 == "connected_slaves" { print $2, server }'
  done | sort -n | awk '{ primary = $2 } END { print primary }'
}

# A failover that fails, for one because each sentinel has another candidate, is tried again after twice its timeout.
if [ ! -e $config ]; then
  primary=$(find_primary)
  # By names: a Redis that is started anew may have another address.
  cat >$config <<END
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel announce-ip $SERVER
sentinel monitor mymaster ${primary:-${SERVERS%% *}} 6379 2
sentinel down-after-milliseconds mymaster 3000
sentinel failover-timeout mymaster 6000
sentinel parallel-syncs mymaster 2
END
fi
# The password may be another since the last start.
sed -i "/^requirepass /d; /^user default /d; /^sentinel sentinel-pass /d; /^sentinel auth-pass /d" $config
cat >>$config <<END
requirepass $REDIS_PASSWORD
sentinel sentinel-pass $REDIS_PASSWORD
sentinel auth-pass mymaster $REDIS_PASSWORD
END
# A former primary becomes a replica after one info period and four publish periods. Neither is an option of the file.
set_periods() {
  for _ in $(seq 100); do
    ask 127.0.0.1 26379 SENTINEL DEBUG INFO-PERIOD 2000 PUBLISH-PERIOD 1000 | grep -q '^OK' && return
    sleep 0.3
  done
  echo 'The periods of this sentinel could not be set'
}
# As a process of init, as the sentinel takes its own children for scripts.
(set_periods &)
exec redis-server $config --port 26379 --sentinel
