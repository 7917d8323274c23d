#!/bin/sh
# Health check: succeeds if this sentinel can start a failover, to any of the other servers.
set -eu
. /redis/servers.sh
ask 127.0.0.1 26379 SENTINEL CKQUORUM mymaster | grep -q '^OK'
