-- Leaves an agent without a definition. Its versions stay.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {agent, at, etags: [], audit?: entry}
-- Returns {'deleted'}, also when it had none, {'missing'} without the agent, or {'stale'} when no tag matches.
--- @include "agents"
--- @include "budgets"
--- @include "events"
--- @include "queues"
local args = cjson.decode(ARGV[1])
local id, agent = args.agent, key('agent', args.agent)
local fields = call('HMGET', agent, 'type', 'version')
local type, current = fields[1], fields[2]
if not type then return { 'missing' } end
local record = current and call('HGET', key('definitions', id), current)
if #args.etags > 0 and not (record and is_match(record, args.etags)) then return { 'stale' } end
if not current then return { 'deleted' } end
call('HDEL', agent, 'version')
set_concurrency(id, type)
set_budget('agent:' .. id)
append_event(id, { type = 'agent.definition_deleted', at = args.at })
append_audit(args.audit)
return { 'deleted' }
