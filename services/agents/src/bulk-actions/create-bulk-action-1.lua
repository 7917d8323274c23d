-- Creates a bulk action, and keeps the reply.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {id, max: how many may run, kept?: {digest, expected}, fields: [name, value, …],
--         audit?: entry}, 2 reply to keep
-- Returns {'created'}, {'full'} when `max` run, or {'kept', value} when something else is stored under the
--         Idempotency-Key.
--- @include "events"
--- @include "idempotency"
local args = cjson.decode(ARGV[1])
local found = found_reply(args.kept)
if found then return { 'kept', found } end
if call('SCARD', KEYS[1] .. 'bulks') >= args.max then return { 'full' } end
call('HSET', key('bulk', args.id), unpack(args.fields))
call('SADD', KEYS[1] .. 'bulks', args.id)
append_audit(args.audit)
keep_reply(args.kept, ARGV[2])
return { 'created' }
