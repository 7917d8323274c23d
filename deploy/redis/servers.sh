# Functions for the servers of compose.sentinel.yml. SERVER is the name of this server, SERVERS those of all.
. /credentials/credentials.env
export REDISCLI_AUTH="$REDIS_PASSWORD"

# Usage: ask <host> <port> <command>…
ask() (
  host=$1 port=$2
  shift 2
  timeout 2 redis-cli --no-auth-warning -h "$host" -p "$port" "$@" 2>/dev/null | tr -d '\r'
)

# Whether another server waits for this one, which `primary_of` calls $1, and has replicated its data: the offset of a
# replica that has replicated nothing since its start is 1.
has_replica() {
  for server in $SERVERS; do
    if [ "$server" != "$SERVER" ] && [ "$(primary_of "$server")" = "$1" ]; then
      ask "$server" 6379 INFO replication | grep -qE '^slave_repl_offset:([2-9]|..)' && return
    fi
  done
  return 1
}

# A primary that was killed may lack acknowledged writes that its replicas have: Redis writes its append-only file
# later while the disk is slow. As soon as it served, its replicas would drop them. So it waits until one of them is
# the primary, but not forever: without a majority none is promoted.
wait_for_promotion() {
  for _ in $(seq 20); do
    has_replica "$1" || return 0
    sleep 1
  done
  echo 'No replica was promoted within 20 s: this server starts as the primary'
}

# Starts Redis, with further arguments. A replica that was away for a short time gets only what it lacks, of 64 MB. One
# whose disk is full ends at once: it would test its memory for seconds before.
start_server() {
  sh /mend/mend-append-only-file.sh redis-server /data
  # The password comes by stdin: everybody on the host sees arguments.
  exec redis-server "$@" --dir /data --appendonly yes --appendfsync everysec --save '' \
    --maxmemory "$REDIS_MAXMEMORY" --maxmemory-policy noeviction --stream-node-max-bytes 1024 \
    --crash-memcheck-enabled no --min-replicas-to-write "$REDIS_MIN_REPLICAS" --min-replicas-max-lag 10 \
    --repl-backlog-size 64mb --repl-diskless-sync-delay 0 - <<END
requirepass $REDIS_PASSWORD
masterauth $REDIS_PASSWORD
END
}
