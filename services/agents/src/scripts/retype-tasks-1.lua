-- Moves tasks to the current type of their agent in the indexes, and notes the last one in `moved`, so that the next
-- step continues after it. A task that has changed since it was read is there already, as change-task-1.lua moves it
-- too.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {agent, retyped: number of the event that changed the type, tasks: [{id, state, status, tags: []}],
--         done: whether no other tasks have to move}
-- Returns {'moved'}, or {'outdated'} when the type has changed again: that change moves all tasks anew.
--- @include "tasks"
--- @include "words"
local args = cjson.decode(ARGV[1])
local agent = key('agent', args.agent)
local fields = call('HMGET', agent, 'type', 'was', 'retyped')
local type, was, retyped = fields[1], fields[2], fields[3]
if retyped ~= args.retyped then return { 'outdated' } end
for _, task in ipairs(args.tasks) do
  if call('GET', key('state', task.id)) == task.state then
    unindex_task(type_indexes(words(was), task.tags), task.id, task.status)
    index_task(type_indexes({ type }, task.tags), task.id, task.status)
  end
end
if args.done then
  call('HDEL', agent, 'was', 'retyped', 'until', 'moved')
  call('SREM', KEYS[1] .. 'retypes', args.agent)
elseif #args.tasks > 0 then
  call('HSET', agent, 'moved', args.tasks[#args.tasks].id)
end
return { 'moved' }
