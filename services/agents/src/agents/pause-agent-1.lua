-- Pauses an agent: none of its tasks is leased. If it is paused already, only the reason changes.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {id, at, time: the same in RFC 3339, audit?: entry}, 2 reason as JSON
-- Returns {'paused', since when in RFC 3339} or {'missing'}.
--- @include "agents"
--- @include "events"
--- @include "queues"
local args = cjson.decode(ARGV[1])
local id, agent, reason = args.id, key('agent', args.id), ARGV[2]
local fields = call('HMGET', agent, 'type', 'status', 'paused_at', 'paused_reason')
local type, status, paused_at, before = fields[1], fields[2], fields[3], fields[4]
if not type then return { 'missing' } end
if not paused_at then
  call('HSET', agent, 'paused_at', args.time)
  index_paused('ZADD', id, type, status)
  refresh_ready(id, type)
end
if before ~= reason then
  call('HSET', agent, 'paused_reason', reason)
  append_event(id, { type = 'agent.paused', at = args.at, data = '{"reason":' .. reason .. '}' })
  append_audit(args.audit)
end
return { 'paused', paused_at or args.time }
