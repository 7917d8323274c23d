-- Removes tasks of a deleted agent.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {agent, type, was: the types that it had before, separated by blanks, tasks: [{id,
--         status, tags: [], worker?, reserved?, needs, labels: their set, owner?, after: [ids that it names], waits:
--         [those it waits for]}], done: whether it has no others}
-- Returns {how many tasks are to hand over to their waiters}.
--- @include "conversations"
--- @include "dependencies"
--- @include "tasks"
local args, handed = cjson.decode(ARGV[1]), 0
for _, task in ipairs(args.tasks) do
  local type = type_of(task.id, args.type, args.was)
  unindex_task(task_indexes(args.agent, type, task.tags), task.id, task.status)
  unindex_task(worker_indexes(task.worker), task.id, task.status)
  if task.reserved then
    call('ZREM', with_needs('reserved', task.reserved, task.needs), task.id)
    unregister_needs('reserved', task.reserved, task.needs)
  end
  drop_edges(task.id, task.after, task.waits)
  delete_conversation(args.agent, type, task.id)
  -- Another replica may have removed it.
  if delete_task(task.id) then
    if task.status == 'pending' then add_usage('tasks', task.owner, -1) end
    if not ENDED[task.status] then
      add_set(type, task.labels, -1)
      handed = handed + hand_over(task.id, 'deleted')
    end
  end
end
if args.done then call('HDEL', KEYS[1] .. 'purges', args.agent) end
return { handed }
