-- Stores a new version of an agent's definition, unless it is the current one.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {agent, at, etags: [], digest: of what the client sets, max_concurrency?, budget?, audit?: entry}, 2
--         record after its number
-- Returns {'created' (the agent had none), 'replaced' or 'same', record}, {'missing'} without the agent, {'stale'} when
--         no tag matches, or {'too large'}.
--- @include "agents"
--- @include "budgets"
--- @include "events"
--- @include "queues"
-- Versions that are kept besides those that tasks name; size of all; and how many are removed at once at most.
local KEPT, MAX_BYTES, STEP = 500, 16 * 1024 * 1024, 2000
local args = cjson.decode(ARGV[1])
local id, agent, versions, uses = args.agent, key('agent', args.agent), key('definitions', args.agent), key('definition-uses', args.agent)
local fields = call('HMGET', agent, 'type', 'version')
local type, current = fields[1], fields[2]
if not type then return { 'missing' } end
local record = current and call('HGET', versions, current)
if #args.etags > 0 and not (record and is_match(record, args.etags)) then return { 'stale' } end
local counts = call('HMGET', versions, 'last', 'bytes', 'digest')
if record and counts[3] == args.digest then return { 'same', record } end

local number = (tonumber(counts[1]) or 0) + 1
local new = '{"version":' .. number .. ',' .. ARGV[2]
local bytes, removed = (tonumber(counts[2]) or 0) + #new, {}
for _, name in ipairs(call('ZRANGE', uses, 0, 0, 'BYSCORE', 'LIMIT', 0, STEP)) do
  local old = tonumber(name)
  if old > number - KEPT and bytes <= MAX_BYTES then break end
  bytes = bytes - call('HSTRLEN', versions, old)
  removed[#removed + 1] = name
end
if bytes > MAX_BYTES then return { 'too large' } end

for _, name in ipairs(removed) do
  call('HDEL', versions, tonumber(name))
  call('ZREM', uses, name)
end
call('HSET', versions, number, new, 'last', number, 'bytes', bytes, 'digest', args.digest)
call('ZADD', uses, 0, version_name(number))
call('HSET', agent, 'version', number)
set_concurrency(id, type, args.max_concurrency)
set_budget('agent:' .. id, args.budget)
append_event(id, { type = 'agent.definition_replaced', at = args.at, data = '{"version":' .. number .. '}' })
append_audit(args.audit)
return { record and 'replaced' or 'created', new }
