#!/bin/sh
# Usage: REDISCLI_AUTH=… back-up-append-only-file.sh <folder of a running Redis> [options of redis-cli] >backup.tar
#
# Writes a tar of the append-only file, which holds at least all that Redis acknowledged before. Redis must not replace
# the files while they get hard links, so it rewrites nothing meanwhile. What it appends during the copy may end within
# a command: mend-append-only-file.sh removes that before the restored Redis starts.
set -eu
cd "$1"
shift
links=.backup
cli=$(command -v redis-cli || command -v valkey-cli)
fail() {
  echo "$1" >&2
  exit 1
}
set_percentage() { "$cli" "$@" | grep -qx OK || fail 'Redis refuses CONFIG SET'; }
info() { "$cli" "$@" info persistence | tr -d '\r'; }
value() { echo "$state" | sed -n "s/^$1://p"; }
is_replica() { "$cli" "$@" info replication | grep -q '^role:slave'; }
is_rewriting() { echo "$state" | grep -qE '^aof_rewrite_(in_progress|scheduled):1$'; }

if is_replica "$@"; then fail 'This is a replica, which may lack what was acknowledged last: back up its primary'; fi
mkdir -p -m 700 $links
exec 9>$links/lock
# A command of a backup that was killed holds the lock until it ends.
flock -w 10 9 || fail 'Another backup runs'
# Where a backup was killed with -9, this file has the setting from before it.
[ -s $links/percentage ] || "$cli" "$@" config get auto-aof-rewrite-percentage | sed -n 2p >$links/percentage
before=$(cat $links/percentage)
[ -n "$before" ] || { rm -rf $links; fail 'Redis does not answer CONFIG GET'; }
set_back() {
  [ -e $links/percentage ] || return 0
  set_percentage "$@" config set auto-aof-rewrite-percentage "$before"
  rm $links/percentage
}
trap 'set_back "$@"; rm -rf $links' EXIT
trap 'exit 130' INT
trap 'exit 129' HUP
trap 'exit 143' TERM
set_percentage "$@" config set auto-aof-rewrite-percentage 0

while state=$(info "$@") && is_rewriting; do sleep 0.1; done
[ "$(value aof_enabled)" = 1 ] || fail 'Redis has no append-only file'
# What is acknowledged by now may still be in a buffer while the disk is slow.
base=$(value aof_current_size)
end=$((base + $(value aof_buffer_length)))
# A smaller file was rewritten by hand, and has it too.
until state=$(info "$@") && size=$(value aof_current_size) && { [ "$size" -ge $end ] || [ "$size" -lt "$base" ]; }; do
  sleep 0.1
done

manifest=appendonlydir/appendonly.aof.manifest
until cp -Rl appendonlydir $links/ 2>/dev/null && cmp -s $manifest $links/$manifest; do
  # BGREWRITEAOF by hand has just replaced the files.
  rm -rf $links/appendonlydir
  sleep 0.1
done
set_back "$@"
# Redis appends to the last file: tar takes what is there when it comes to it, and then exits with 1.
tar -C $links -cf - appendonlydir 2>$links/errors || [ $? = 1 ] || fail "$(cat $links/errors)"
