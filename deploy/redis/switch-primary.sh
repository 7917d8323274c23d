#!/bin/sh
# Usage: REDISCLI_AUTH=… switch-primary.sh <name of the master> <host:port of each sentinel>…
#
# Makes a replica the primary without the loss of an acknowledged write, unlike SENTINEL FAILOVER by itself: writes wait
# until all replicas have those before, one of them is promoted, and the former primary follows it. If this script is
# killed, the pause ends by itself within 10 s.
set -eu
name=$1
shift
sentinels=$*
count=$#
cli=$(command -v redis-cli || command -v valkey-cli)

fail() {
  echo "$1" >&2
  exit 1
}

# Usage: ask <host:port> <command>…
ask() (
  server=$1
  shift
  timeout 2 "$cli" -h "${server%:*}" -p "${server##*:}" "$@" 2>/dev/null | tr -d '\r'
)

# Usage: await <seconds> <command>…
await() {
  deadline=$(($(date +%s) + $1))
  shift
  until "$@"; do
    [ "$(date +%s)" -lt $deadline ] || return 1
    sleep 0.1
  done
}

# The primary, its state, and how many replicas and other sentinels each sentinel knows: one line if all agree.
views() {
  for sentinel in $sentinels; do
    ask "$sentinel" SENTINEL MASTER "$name" | awk '
      NR % 2 { field = $0; next }
      { value[field] = $0 }
      END { print value["ip"] ":" value["port"], value["flags"], value["num-slaves"], value["num-other-sentinels"] }'
  done | sort -u
}

# The replicas that follow a primary closely.
replicas_of() {
  ask "$1" INFO replication |
    sed -nE 's/^slave[0-9]+:ip=([^,]+),port=([0-9]+),state=online,.*,lag=[0-2]$/\1:\2/p'
}

has_replicas() { [ "$(replicas_of "$1" | wc -l)" = "$known" ]; }
offset() { ask "$1" INFO replication | sed -n "s/^$2_repl_offset://p"; }

have_all_writes() {
  written=$(offset "$primary" master)
  for replica in $replicas; do
    [ "$(offset "$replica" slave)" = "${written:-?}" ] || return 1
  done
}

# The pause of a primary may be 10 s at a time: sentinels, whose PUBLISH waits too, take it for lost after some seconds.
pause() { [ "$(ask "$primary" CLIENT PAUSE 10000 WRITE)" = OK ]; }
# A PING that the replicas get after one of them was promoted would make the others copy all data. 50 s is less than the
# time after which a replica gives a silent primary up.
set_ping_period() { ask "$primary" CONFIG SET repl-ping-replica-period "$1" >/dev/null; }

resume() {
  ask "$primary" CLIENT UNPAUSE >/dev/null
  set_ping_period "$ping_period"
}

is_promoted() {
  pause || true
  new=$(ask "${sentinels%% *}" SENTINEL GET-MASTER-ADDR-BY-NAME "$name" | paste -sd: -)
  [ -n "$new" ] && [ "$new" != "$primary" ]
}

is_complete() { [ "$(views)" = "$new master $known $((count - 1))" ] && has_replicas "$new"; }

# With two switches at once, the second one would promote a replica of a primary whose writes go on.
exec 9<.
flock -n 9 || fail 'Another switch runs'

set -- $(views)
[ $# = 4 ] && [ "$2" = master ] && [ "$4" = $((count - 1)) ] ||
  fail "Some sentinels do not respond, or differ in the primary, its state, its replicas or the other sentinels: $*"
primary=$1 known=$3
replicas=$(replicas_of "$primary")
has_replicas "$primary" && [ "$known" -gt 0 ] ||
  fail "Not all $known replicas follow $primary closely, only: $(echo $replicas)"

ping_period=$(ask "$primary" CONFIG GET repl-ping-replica-period | sed -n 2p)
trap resume EXIT
trap 'exit 130' INT
trap 'exit 129' HUP
trap 'exit 143' TERM
set_ping_period 50
pause || fail "$primary refuses CLIENT PAUSE"
await 2 have_all_writes || fail "The replicas do not catch up: $primary remains the primary"

# From here on, the former primary must not take writes again before it is a replica.
trap - EXIT
reply=$(ask "${sentinels%% *}" SENTINEL FAILOVER "$name")
if [ "$reply" != OK ]; then
  [ -z "$reply" ] || resume
  fail "${sentinels%% *} refuses the failover: ${reply:-no response}"
fi
await 15 is_promoted || fail 'No replica was promoted within 15 s: writes go on in 10 s'
[ "$(ask "$primary" REPLICAOF "${new%:*}" "${new##*:}")" = OK ] ||
  fail "$new is the primary now; $primary does not respond, and the sentinels will make it a replica"
resume
echo "$new is the primary now, in place of $primary"
await 30 is_complete || fail "But not all sentinels know all servers, or not all replicas follow it"
