-- Resumes a paused agent, and wakes workers if it has tasks.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {id, at, audit?: entry}
-- Returns {'resumed'}, also when it was not paused, or {'missing'}.
--- @include "agents"
--- @include "events"
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
  for _, needs in ipairs(needs_of('queue', id)) do
    if call('EXISTS', with_needs('queue', id, needs)) == 1 then make_ready(id, type, needs) end
  end
  notify_queued(id, type)
  notify_reserved(id, type)
end
return { 'resumed' }
