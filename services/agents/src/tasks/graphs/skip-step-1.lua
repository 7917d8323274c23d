-- Skips the step of a batch whose agent was deleted meanwhile, and gives its part of the quota back.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {batch: {id, left: steps with this one}, count: of its tasks, owner?: the principal whose quota counts
--         them}
-- Returns {}.
--- @include "batches"
--- @include "tasks"
local args = cjson.decode(ARGV[1])
if not is_next_step(args.batch) then return {} end
end_step(args.batch)
add_usage('tasks', args.owner, -args.count)
return {}
