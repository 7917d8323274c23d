#!/bin/sh
# Usage: mend-append-only-file.sh <redis-server or valkey-server> <its folder>, before that server starts
# It is here as Helm reads nothing outside of the chart; Compose and `npm start` use it, too.
#
# A Redis that is killed while it writes may leave MULTI and some commands of a script at the end of its append-only
# file. A Redis that loads it removes the command that is not whole, keeps what is before, appends behind it, and runs
# that half of a script at its next start (https://github.com/valkey-io/valkey/pull/4342). But from a file that ends
# behind a whole command it removes all of the script: so a Redis without clients loads the file first.
set -eu
server=$(command -v "$1")
cd "$2"
manifest=appendonlydir/appendonly.aof.manifest
[ -f "$manifest" ] || exit 0

# Relative, as the name of a socket may have only 107 bytes.
work=.mend
rm -rf $work
mkdir -m 700 $work
trap 'rm -rf $work' EXIT

# The server's program is also the one that checks, under that name.
name=${server##*/}
check=$work/${name%server}check-aof
ln -s "$server" "$check"

# When the disk is full, Redis takes back the part of a write that it could make. But in a file that a rewrite has
# begun, it goes on behind that part, which is zeros then: Redis refuses to load it. A power cut may leave zeros, too.
remove_zeros() {
  name=$(echo "$analysis" | sed -n 's/^AOF analyzed: filename=\([^,]*\), .*/\1/p' | tail -n 1)
  whole=$(echo "$analysis" | sed -n 's/^AOF analyzed: .*ok_up_to=\([0-9]*\), .*/\1/p' | tail -n 1)
  file=appendonlydir/$name
  [ -n "$name" ] && [ -n "$whole" ] && [ "$whole" -lt "$(wc -c <"$file")" ] || return 1
  # The place of the first byte that is not zero, from 1; nothing when all are.
  other=$(tail -c +$((whole + 1)) "$file" | LC_ALL=C cmp - /dev/zero 2>/dev/null |
    sed 's/.* \([0-9]*\), line.*/\1/')
  [ "$other" != 1 ] || return 1
  echo "The append-only file of Redis has zeros behind byte $whole of $name: removing them"
  head -c "$whole" "$file" >$work/mended &&
    { [ -z "$other" ] || tail -c +$((whole + other)) "$file" >>$work/mended; } &&
    sync $work/mended && mv $work/mended "$file"
}

remove_half() {
  echo 'The append-only file of Redis ends within a write: removing what is not whole'
  "$server" --port 0 --unixsocket $work/socket --logfile $work/log --save '' --appendonly yes \
    --auto-aof-rewrite-percentage 0 &
  until grep -qi 'ready to accept connections' $work/log 2>/dev/null; do
    # A file that Redis refuses stays as it is: the server says why.
    kill -0 $! 2>/dev/null || exit 0
    sleep 0.02
  done
  kill $!
  wait $!
}

until analysis=$("$check" "$manifest" 2>&1); do
  remove_zeros || { remove_half; break; }
done
