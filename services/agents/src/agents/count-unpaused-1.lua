-- Counts the agents of an index that are not paused.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {index, paused: its paused agents, another index}
-- Returns {number of agents}.
--- @flags no-writes
--- @include "keys"
local args = cjson.decode(ARGV[1])
return { call('ZCARD', args.index) - call('ZCARD', args.paused) }
