-- Reads a page of agents.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {index, skip, limit}
-- Returns {agents in the index, record, record, …}.
--- @include "agents"
local args = cjson.decode(ARGV[1])
local reply = { call('ZCARD', args.index) }
for _, id in ipairs(call('ZRANGE', args.index, args.skip, args.skip + args.limit - 1)) do
  reply[#reply + 1] = read_agent(id)
end
return reply
