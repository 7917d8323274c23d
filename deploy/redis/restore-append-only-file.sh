#!/bin/sh
# Usage: restore-append-only-file.sh <folder of a stopped Redis> [--force] <backup.tar
#
# With --force, replaces the data of the folder, and keeps them in appendonlydir.before-restore.
set -eu
cd "$1"
folder=$(pwd -P)
fail() {
  echo "$1" >&2
  exit 1
}

if ls -l /proc/[0-9]*/fd 2>/dev/null | grep -qF -- "-> $folder/appendonlydir/"; then
  fail "A Redis runs on $folder: stop it first"
fi
if [ -n "$(ls appendonlydir 2>/dev/null)" ] && [ "${2-}" != --force ]; then
  fail "$folder has data: --force replaces them, and keeps them in appendonlydir.before-restore"
fi

new=.restore
rm -rf $new
mkdir -m 700 $new
trap 'rm -rf $new' EXIT
tar -C $new -xf - 2>$new/errors || fail "This is not a backup: $(cat $new/errors)"
manifest=$new/appendonlydir/appendonly.aof.manifest
[ -s $manifest ] || fail 'This is not a backup: it has no appendonlydir/appendonly.aof.manifest'
while read -r _ file _; do
  [ -f "$new/appendonlydir/$file" ] || fail "The backup is not whole: it has no $file"
done <$manifest

if [ -e appendonlydir ]; then
  rm -rf appendonlydir.before-restore
  mv appendonlydir appendonlydir.before-restore
fi
mv $new/appendonlydir appendonlydir
