-- Removes tasks of a deleted agent.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {agent, types: [], tasks: [{id, status, tags: []}], done: whether it has no others}
-- Returns 1.
--- @include "tasks"
local args = cjson.decode(ARGV[1])
for _, task in ipairs(args.tasks) do
  unindex_task(task_indexes(args.agent, args.types, task.tags), task.id, task.status)
  delete_task(task.id)
end
if args.done then call('HDEL', KEYS[1] .. 'purges', args.agent) end
return 1
