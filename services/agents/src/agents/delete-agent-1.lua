-- Deletes an agent: from here on neither it nor its tasks exist for a client. Its tasks are removed in later steps
-- (purge-tasks-1.lua).
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {id, at, etags: [], audit?: entry}
-- Returns {'deleted'}, {'missing'}, or {'stale'} when no tag matches.
--- @include "agents"
--- @include "budgets"
--- @include "counters"
--- @include "events"
--- @include "queues"
--- @include "tasks"
local args = cjson.decode(ARGV[1])
local id = args.id
local record = read_agent(id)
if not record then return { 'missing' } end
if not is_match(record, args.etags) then return { 'stale' } end

local fields = call('HMGET', key('agent', id), 'type', 'status', 'was', 'owner')
append_event(id, { type = 'agent.deleted', status = 'deleted', at = args.at })
append_audit(args.audit)
index_agent('ZREM', id, fields[1], fields[2])
for _, needs in ipairs(needs_of('queue', id)) do
  make_unready(id, fields[1], needs)
  call('UNLINK', with_needs('queue', id, needs))
end
call('HSET', KEYS[1] .. 'purges', id, fields[1] .. (fields[3] and ' ' .. fields[3] or ''))
add_usage('agents', fields[4], -1)
set_budget('agent:' .. id)
call('DEL', key('agent', id))
delete_series(id, args.at)
delete_spent(id, args.at)
call('UNLINK', key('definitions', id), key('definition-uses', id), key('queue-needs', id), key('polls:agent', id), key('leased', id), key('lanes', id), key('lane-tasks', id), key('reservations', id), key('events', id), key('ended', id))
return { 'deleted' }
