-- Creates an agent with its event, and keeps the reply. An agent that exists stays the same.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {id, type, status, at, kept?: {digest, expected}, quota?: {owner, max}, audit?: entry, mark?},
--         2 head and 3 tail of the record around its status, 4 reply to keep
-- Returns {'created'}, {'full'} when the quota is used up, or {'kept', value} when something else is stored under the
--         Idempotency-Key.
--- @include "agents"
--- @include "events"
--- @include "idempotency"
--- @include "tasks"
local args = cjson.decode(ARGV[1])
local found = found_reply(args.kept)
if found then return { 'kept', found } end
if free_usage('agents', args.quota) < 1 then return { 'full' } end
local id = args.id
if call('EXISTS', key('agent', id)) == 0 then
  call('HSET', key('agent', id), 'head', ARGV[2], 'status', args.status, 'tail', ARGV[3], 'type', args.type)
  if args.mark and args.mark ~= '' then call('HSET', key('agent', id), 'mark', args.mark) end
  if args.quota then
    call('HSET', key('agent', id), 'owner', args.quota.owner)
    add_usage('agents', args.quota.owner, 1)
  end
  index_agent('ZADD', id, args.type, args.status)
  append_event(id, { type = 'agent.created', status = args.status, at = args.at })
  append_audit(args.audit)
end
keep_reply(args.kept, ARGV[4])
return { 'created' }
