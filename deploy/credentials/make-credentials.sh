#!/bin/sh
# Generates the secrets at the first start and stores them in the volume at /credentials. Node reads the file with
# --env-file, sh with `.`; variables of the environment take precedence.
set -eu
file=/credentials/credentials.env
random() { od -An -v -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }

if [ ! -e "$file" ]; then
  cat >"$file.new" <<END
ADMIN_EMAIL=admin@example.com
ADMIN_PASSWORD=$(random 12)
API_KEYS=first:$(random 24)
JWT_SECRET=$(random 32)
INTERNAL_TOKEN=$(random 32)
REDIS_PASSWORD=$(random 24)
END
  mv "$file.new" "$file"
  echo 'Made the first credentials.'
fi
# Older files have none.
grep -q '^SESSION_ENCRYPTION_KEY=' "$file" || echo "SESSION_ENCRYPTION_KEY=$(head -c 32 /dev/urandom | base64)" >>"$file"
# The servers of Redis may be others since the last start.
. "$file"
sed '/^REDIS_URL=/d' "$file" >"$file.new"
echo "REDIS_URL=${REDIS_SERVERS%%://*}://:$REDIS_PASSWORD@${REDIS_SERVERS#*://}" >>"$file.new"
# Other users than this one read it: those of the services. Nobody else has the volume.
chmod 444 "$file.new"
mv "$file.new" "$file"
echo "To read them: docker compose exec gateway cat $file"
