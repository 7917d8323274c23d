#!/bin/sh
# Runs beside each Redis of compose.cluster.yml, and does nothing while the cluster is complete. Introduces this server
# to those that it does not know, at the first start and after addresses have changed. The first three servers take the
# slots that no server has; each further server becomes a replica.
. /redis/servers.sh
slots=16384
primaries=3

own() {
  ask 127.0.0.1 6379 "$@"
}

meet_others() {
  own_address=$(hostname -i)
  echo "$nodes" | grep -q " $own_address:6379@[^ ]* [^ ]*myself" || own CONFIG SET cluster-announce-ip "$own_address"
  for server in $SERVERS; do
    address=$(getent ahostsv4 "$server" | awk 'NR == 1 { print $1 }')
    if [ -n "$address" ] && ! echo "$nodes" | grep -q " $address:6379@"; then own CLUSTER MEET "$address" 6379; fi
  done
}

# The primary for this server: in turn, as the servers begin at the same time, or else the one with the fewest replicas.
choose_primary() {
  echo "$nodes" | awk '
    $3 ~ /fail/ { next }
    $3 ~ /slave/ { replicas[$4]++ }
    $3 ~ /master/ && NF > 8 { slot = $9 + 0; id[slot] = $1 }
    END { for (slot in id) print slot, replicas[id[slot]] + 0, id[slot] }' | sort -n |
    awk -v turn=$(((number - 1) % primaries)) '{ print $2 + (NR - 1 == turn ? 0 : 0.5), $3 }' | sort -n |
    awk 'NR == 1 { print $2 }'
}

# The slots of this server's share that no server has, as ranges. Servers with restored data, which have no nodes.conf,
# have taken the slots of their keys. So all of them are asked, each for its own.
free_slots() {
  for server in $SERVERS; do ask "$server" 6379 CLUSTER NODES | grep myself; done | awk \
    -v first=$((slots * (number - 1) / primaries)) -v next_first=$((slots * number / primaries)) \
    -v servers="$(echo "$SERVERS" | wc -w)" '
    {
      for (field = 9; field <= NF; field++) {
        # Not `[slot->-id]`, which is a slot on its way.
        if ($field !~ /^[0-9]/) continue
        split($field "-" $field, range, "-")
        for (slot = range[1] + 0; slot <= range[2] + 0; slot++) taken[slot]
      }
    }
    END {
      if (NR < servers) exit
      for (slot = first; slot <= next_first; slot++) {
        is_free = slot < next_first && !(slot in taken)
        if (is_free != was_free) print slot - was_free
        was_free = is_free
      }
    }'
}

take_part() {
  info=$(own CLUSTER INFO)
  value() { echo "$info" | sed -n "s/^$1://p"; }
  [ "$(value cluster_known_nodes)" -ge "$(echo "$SERVERS" | wc -w)" ] || return 0
  if [ "$(value cluster_slots_assigned)" != $slots ]; then
    [ "$number" -gt $primaries ] || own CLUSTER ADDSLOTSRANGE $(free_slots)
  # The line of a node ends with its slots, from the ninth field.
  elif echo "$nodes" | awk '$3 ~ /myself,master/ && NF == 8 { found = 1 } END { exit !found }'; then
    own CLUSTER REPLICATE "$(choose_primary)"
  fi
}

number=$(echo "$SERVERS" | tr ' ' '\n' | grep -nx "$SERVER" | cut -d: -f1)
while sleep 2; do
  nodes=$(own CLUSTER NODES)
  [ -n "$nodes" ] || continue
  meet_others
  if echo "$nodes" | grep -q 'myself,master'; then take_part; fi
done >/dev/null
