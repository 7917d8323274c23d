-- Finds the oldest pending task of each type.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {types: []}
-- Returns {type, id of its oldest pending task, agent, …}.
--- @flags no-writes
--- @include "keys"
--- @include "oldest-pending"
return find_oldest_pending(cjson.decode(ARGV[1]).types)
