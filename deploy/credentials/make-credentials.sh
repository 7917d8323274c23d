#!/bin/sh
# Generates the secrets at the first start and stores them in the volume at /credentials. Node reads the file with
# --env-file, sh with `.`; variables of the environment take precedence.
set -eu
file=/credentials/credentials.env
random() { od -An -v -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }

if [ ! -e "$file" ]; then
  redis_password=$(random 24)
  cat >"$file.new" <<END
ADMIN_EMAIL=admin@example.com
ADMIN_PASSWORD=$(random 12)
API_KEYS=first:$(random 24)
JWT_SECRET=$(random 32)
INTERNAL_TOKEN=$(random 32)
REDIS_PASSWORD=$redis_password
REDIS_URL=redis://:$redis_password@redis:6379
END
  # Other users than this one read it: those of the services. Nobody else has the volume.
  chmod 444 "$file.new"
  mv "$file.new" "$file"
  echo 'Made the first credentials.'
fi
echo "To read them: docker compose exec gateway cat $file"
