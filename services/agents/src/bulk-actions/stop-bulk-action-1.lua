-- Stops a bulk action: no task changes by it any more.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {id, at: RFC 3339, audit?: entry}
-- Returns {'stopped'}, {'missing'}, or {'ended'} when it has ended before.
--- @include "bulk-actions"
--- @include "events"
local args = cjson.decode(ARGV[1])
local state = call('HGET', key('bulk', args.id), 'state')
if not state then return { 'missing' } end
if state ~= 'running' then return { 'ended' } end
end_bulk_action(args.id, 'stopped', args.at)
call('DEL', key('bulk', args.id) .. ':step')
append_audit(args.audit)
return { 'stopped' }
