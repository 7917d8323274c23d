-- Creates tasks of an agent with their events, timers and queue entries, and keeps the reply, or how far the batch is.
-- A task that exists stays the same: over a lost connection, a script may be sent twice.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {agent, tasks: [{id, at, due, priority, ready, reserved?: the worker that it is reserved for,
--         continues?: the ended task that it continues, state:
--         without the number of the last event, tags: []}], kept?: {digest, expected}, quota?: {owner, max},
--         bulk?: {id, cursor, task: the one that the only task retries}, audit?: entry}, 2 what to keep,
--         3… record of each task
-- Returns {'created'}, {'missing'} without the agent, or when the step of the bulk action is over or has retried the
--         task; {'full', how many tasks fit} when the quota allows fewer: then none is created; or {'kept', value} when
--         something else is stored under the Idempotency-Key.
--- @include "agents"
--- @include "bulk-actions"
--- @include "counters"
--- @include "events"
--- @include "idempotency"
--- @include "tasks"
local args = cjson.decode(ARGV[1])
local agent = args.agent
local type = call('HGET', key('agent', agent), 'type')
if not type then return { 'missing' } end
local found = found_reply(args.kept)
if found then return { 'kept', found } end
local quota = args.quota
local free = free_usage('tasks', quota)
if #args.tasks > free then return { 'full', free } end
if args.bulk and not begin_retry(args.bulk) then return { 'missing' } end

local created, ready, reserved = 0, 0, {}
for at, task in ipairs(args.tasks) do
  if call('SET', key('task', task.id), ARGV[at + 2], 'NX') then
    created = created + 1
    local event = { type = 'task.created', task = task.id, status = 'pending', at = task.at }
    call('SET', key('state', task.id), append_event(agent, event) .. ' ' .. task.state)
    if quota then add_usage('tasks', quota.owner, 1) end
    index_task(task_indexes(agent, type, task.tags), task.id, 'pending')
    call('ZADD', KEYS[1] .. 'timers', task.due, task.id)
    if task.continues then add_continuation(agent, task.continues, task.id) end
    if task.ready then
      local worker = task.reserved
      enqueue(agent, type, task.id, task.priority, worker, '')
      if worker then reserved[worker] = (reserved[worker] or 0) + 1 else ready = ready + 1 end
    end
  end
end
if created > 0 then
  count(agent, type, args.tasks[1].at, 'created', created)
  append_audit(args.audit)
end
if ready > 0 then notify(agent, type, ready, nil, '') end
for worker, number in pairs(reserved) do notify(agent, type, number, worker, '') end
keep_reply(args.kept, ARGV[2])
return { 'created' }
