#!/bin/sh
# In production the secrets are files (compose.production.yml). From these, the servers of Redis get their password, and
# the services the URL of Redis: that of the file redis_url, or one with the servers of this project.
set -eu
password=$(cat /run/secrets/redis_password)
url=$(cat /run/secrets/redis_url)
case $password in
  '' | *[!A-Za-z0-9_-]*) echo 'redis_password: must have letters, digits, _ and - only' >&2 && exit 1 ;;
esac

# Other users than this one read the volume. Nobody but the containers of this project has it.
provide() {
  printf '%s\n' "$2" >"/credentials/$1.new"
  chmod 444 "/credentials/$1.new"
  mv "/credentials/$1.new" "/credentials/$1"
}
provide credentials.env "REDIS_PASSWORD=$password"
provide redis_url "${url:-${REDIS_SERVERS%%://*}://:$password@${REDIS_SERVERS#*://}}"
