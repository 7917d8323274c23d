-- Resumes a paused agent, and wakes workers if it has tasks.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {id, at, audit?: entry}
-- Returns {'resumed'}, also when it was not paused, or {'missing'}.
--- @include "agents"
--- @include "events"
--- @include "queues"
local args = cjson.decode(ARGV[1])
local id, agent = args.id, key('agent', args.id)
local fields = call('HMGET', agent, 'type', 'status', 'paused_at')
local type, status, paused_at = fields[1], fields[2], fields[3]
if not type then return { 'missing' } end
if paused_at then
  call('HDEL', agent, 'paused_at', 'paused_reason')
  index_paused('ZREM', id, type, status)
  append_event(id, { type = 'agent.resumed', at = args.at })
  append_audit(args.audit)
  refresh_ready(id, type)
end
return { 'resumed' }
