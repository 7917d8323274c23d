-- Reads what tasks are that others are to come after.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {ids: []}
-- Returns {'<id of the agent> <status>', …} in this order, '' for a task that does not exist.
--- @flags no-writes
--- @include "dependencies"
local args, found = cjson.decode(ARGV[1]), {}
for at, id in ipairs(args.ids) do
  -- A record begins with the ids of the task and its agent.
  local agent = call('GETRANGE', key('task', id), 57, 92)
  local exists = agent ~= '' and call('EXISTS', key('agent', agent)) == 1
  found[at] = exists and agent .. ' ' .. (status_among(OPEN, id) or status_among(ENDS, id) or '') or ''
end
return found
