-- Completes a step of a bulk action.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {id, cursor: where the step began, next: where the next one begins, failed: how many tasks have failed
--         in the step, failures?: the new list of failures as JSON, done: whether it was the last step, at: RFC 3339}
-- Returns {'advanced'}, or {'outdated'} when the action was stopped, or another replica has completed the step.
--- @include "bulk-actions"
local args = cjson.decode(ARGV[1])
if not is_current_step(args) then return { 'outdated' } end
local action = key('bulk', args.id)
call('HSET', action, 'cursor', args.next)
if args.failed > 0 then call('HINCRBY', action, 'failed', args.failed) end
if args.failures then call('HSET', action, 'failures', args.failures) end
call('DEL', action .. ':step')
if args.done then end_bulk_action(args.id, 'completed', args.at) end
return { 'advanced' }
