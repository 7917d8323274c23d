-- Creates tasks of an agent with their events, timers and queue entries, and keeps the reply, or how far the batch is.
-- A task that exists stays the same: over a lost connection, a script may be sent twice.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {agent, tasks: [{id, at, due, priority, ready, reserved?: the worker that it is reserved for,
--          continues?: the ended task that it continues, after: [ids that it names], waits: [those it waits for],
--          state: without the number of the last event, lane?: of its concurrency key, needs: of its worker, labels:
--          the set of its labels, tags: []}], version?: of the definition that they name, current: whether that has to
--          be the current one, sets?: the sets of labels of all tasks, owner?: the principal, kept?: {digest,
--          expected}, quota?: {owner, max}, bulk?: {id, cursor, task: the one that the only task retries}, audit?:
--          entry, batch?: {id, left}: the step of a batch}, 2 what to keep, 3… record of each task
-- Returns {'created', how many tasks are to hand over to their waiters}, {'redefined'} when the agent has another
--          version, {'too many sets'} of labels, {'missing'} without the agent, when the step of the bulk action is
--          over or has retried the task, or when the step of the batch is over; {'full', how many tasks fit} when the
--          quota allows fewer: then none is created; or {'kept', value} when something else is stored under the
--          Idempotency-Key.
--- @include "agents"
--- @include "batches"
--- @include "bulk-actions"
--- @include "counters"
--- @include "dependencies"
--- @include "events"
--- @include "idempotency"
--- @include "queues"
--- @include "tasks"
local args = cjson.decode(ARGV[1])
local agent = args.agent
local fields = call('HMGET', key('agent', agent), 'type', 'version')
local type = fields[1]
if not type then return { 'missing' } end
local found = found_reply(args.kept)
if found then return { 'kept', found } end
if args.current and (fields[2] or '') ~= tostring(args.version or '') then return { 'redefined' } end
local quota = args.quota
local free = free_usage('tasks', quota)
if #args.tasks > free then return { 'full', free } end
if args.sets and not may_have_sets(type, args.sets, args.owner) then return { 'too many sets' } end
if args.batch and not is_next_step(args.batch) then return { 'stale' } end
if args.bulk and not begin_retry(args.bulk) then return { 'missing' } end

local created, handed, ready, reserved = 0, 0, {}, {}
for at, task in ipairs(args.tasks) do
  if call('SET', key('task', task.id), ARGV[at + 2], 'NX') then
    created = created + 1
    local event = { type = 'task.created', task = task.id, status = 'pending', at = task.at }
    call('SET', key('state', task.id), append_event(agent, event) .. ' ' .. task.state)
    if quota then add_usage('tasks', quota.owner, 1) end
    add_uses(agent, args.version, 1)
    add_set(type, task.labels, 1, args.owner)
    index_task(task_indexes(agent, type, task.tags), task.id, 'pending')
    call('ZADD', KEYS[1] .. 'timers', task.due, task.id)
    handed = handed + add_edges(task.id, task.after or {}, task.waits or {})
    if task.continues then add_continuation(agent, task.continues, task.id) end
    if task.ready then
      local worker = task.reserved
      local is_new = enqueue(agent, type, task.id, task.priority, worker, task.needs, task.lane)
      local counts, name = worker and reserved or ready, worker or task.needs
      if is_new then counts[name] = (counts[name] or 0) + 1 end
    end
  end
end
if args.batch then end_step(args.batch) end
if created > 0 then
  count(agent, type, args.tasks[1].at, 'created', created)
  append_audit(args.audit)
end
for needs, number in pairs(ready) do notify(agent, type, number, nil, needs) end
for worker, number in pairs(reserved) do notify(agent, type, number, worker, '') end
keep_reply(args.kept, ARGV[2])
return { 'created', handed }
