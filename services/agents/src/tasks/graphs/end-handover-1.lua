-- Ends a step of a handover: tasks that do not wait any more are no waiters. The handover is over without waiters.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {task: the one that has ended, heard: [ids]}
-- Returns {}.
--- @include "keys"
local args = cjson.decode(ARGV[1])
local waiters = key('waiters', args.task)
for _, id in ipairs(args.heard) do call('SREM', waiters, id) end
if call('EXISTS', waiters) == 0 then call('HDEL', KEYS[1] .. 'handovers', args.task) end
return {}
