-- Changes or deletes a task by compare-and-set of its state, with its indexes, queue entry, timer and events and the
-- status of its agent.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {agent, task, at, before: status, after: status ('deleted'), tags: [] (before), new_tags?: [],
--          worker?: (before), new_worker?: (after, unless deleted), lease?: 'taken' or 'given back', lane?: of its
--          concurrency key (before), new_lane?: (after), queue?: 'back' (queue it behind the others of its priority),
--          'join' (the same, unless it is queued) or 'move' (to the queue of its new needs), reserved?: the worker that
--          it may be reserved for (before), new_reserved?: the worker that it is reserved for while queued (after),
--          needs: of its worker (before), new_needs: (after), labels: their set (before), new_labels: (after),
--          labels_of?: who changes them, version?: of the definition that it names, priority, first: whether it goes
--          before the others of its priority, due: next deadline in ms, events: [{type, data?, status?}], counter?:
--          what the series count, spent?: {isReported, model, counts: {}, names: {dimension → names}} of an attempt
--          that ends, costs?: of one that has or had a lease {micros: what they have grown by, creators: [scope of a
--          budget]}, bulk?: {id, cursor} of the bulk action that makes the change, audit?: entry, last: number of the
--          task's last event, agent_status: the
--          agent's status when none of its tasks is running any more, owner?: the principal whose pending tasks it
--          counts among, suspended?: whether it is suspended (after), writes?: what is said, kept?: {digest, expected},
--          continued?: (before) and continues?: (after) the ended task that a replaced one continues, edges?: {after:
--          [], waits: [], new_after: [], new_waits: []}: the tasks that it no longer names or waits for, and those that
--          it does newly}, 2 expected state, 3 new state without the number of the last event, 4 new record ('' the
--          same), 5 ended attempt ('' none), 6 what to keep
-- Returns {'changed', number of the task's last event, ended tasks of the agent, how many tasks are to hand over to
--          their waiters, and the least that is left of a budget and the end of its period, nil without one},
--          {'budget', until when (ms or '')} when the task is to be leased and a budget is used up, {'agent
--          missing'}, {'too many sets'} of labels, {'cycle'} of tasks that would wait for
--          themselves, {'missing'}, also when the step of the bulk action is over or the task is to be leased and may
--          not be now, {'conflict', record, state} when the state is another, or {'kept', value} when something else is
--          stored under the Idempotency-Key.
--- @include "agents"
--- @include "budgets"
--- @include "bulk-actions"
--- @include "conversations"
--- @include "counters"
--- @include "dependencies"
--- @include "events"
--- @include "idempotency"
--- @include "queues"
--- @include "tasks"
local args = cjson.decode(ARGV[1])
-- Attempts that are kept: a task may be released any number of times.
local MAX_ATTEMPTS = 1000
local agent, task, before, after = args.agent, args.task, args.before, args.after
local fields = call('HMGET', key('agent', agent), 'type', 'status', 'was')
local type, old_status, was = fields[1], fields[2], fields[3]
if not type then return { 'agent missing' } end
local found = found_reply(args.kept)
if found then return { 'kept', found } end
if args.bulk and not is_current_step(args.bulk) then return { 'missing' } end
local state = call('GET', key('state', task))
if not state then return { 'missing' } end
if args.new_labels ~= args.labels and not may_have_sets(type, { args.new_labels }, args.labels_of) then return { 'too many sets' } end
if state ~= ARGV[2] then return { 'conflict', call('GET', key('task', task)), state } end
if args.lease == 'taken' and (free_slots(agent) == 0 or args.lane and is_lane_held(agent, task, args.lane)) then
  return { 'missing' }
end

local edges = args.edges
if edges and makes_cycle(task, edges.new_waits) then return { 'cycle' } end
local budgets = args.costs and budgets_of(agent, type, args.costs.creators)
for _, scope in ipairs(args.lease == 'taken' and budgets or {}) do
  local reached = reached_until(scope)
  if reached then return { 'budget', reached } end
end

local last = args.last
for _, event in ipairs(args.events) do
  event.task, event.status, event.at, event.previous = task, event.status or after, args.at, last
  last = append_event(agent, event)
end
if args.bulk then count_done(args.bulk) end
append_audit(args.audit)
if args.counter then count(agent, type, args.at, args.counter, 1) end
local spent = args.spent
if spent then
  if spent.isReported then count_spent(agent, type, spent) end
  count_spent_at(agent, type, args.at, spent.names, spent.counts)
end

local task_type = type_of(task, type, was)
if args.writes then write_conversation(agent, task_type, task, args.writes) end
if after == 'deleted' then
  delete_task(task)
  delete_conversation(agent, task_type, task)
else
  call('SET', key('state', task), string.format('%d %s', last, ARGV[3]))
  if ARGV[4] ~= '' then call('SET', key('task', task), ARGV[4]) end
  if ARGV[5] ~= '' and call('RPUSH', key('attempts', task), ARGV[5]) > MAX_ATTEMPTS then
    call('LPOP', key('attempts', task))
  end
  call('ZADD', KEYS[1] .. 'timers', args.due, task)
end
if before == 'input_required' or after == 'input_required' then
  local suspended = KEYS[1] .. 'suspended'
  if args.suspended then call('SADD', suspended, task) else call('SREM', suspended, task) end
end

if args.new_tags or after == 'deleted' then
  unindex_task(task_indexes(agent, task_type, args.tags), task, before)
  if after ~= 'deleted' then index_task(task_indexes(agent, task_type, args.new_tags or args.tags), task, after) end
elseif before ~= after then
  move_task(task_indexes(agent, task_type, args.tags), task, before, after)
end
if args.worker ~= args.new_worker then
  unindex_task(worker_indexes(args.worker), task, before)
  index_task(worker_indexes(args.new_worker), task, after)
elseif before ~= after then
  move_task(worker_indexes(args.worker), task, before, after)
end

if before ~= after then
  if before == 'pending' then add_usage('tasks', args.owner, -1) end
  if after == 'pending' then add_usage('tasks', args.owner, 1) end
end

local continued, continues = args.continued, args.continues
if continued ~= continues then
  if continued then remove_continuation(agent, continued, task) end
  if continues then add_continuation(agent, continues, task) end
end

local is_open, was_open = after ~= 'deleted' and not ENDED[after], not ENDED[before]
local handed = 0
if edges then
  drop_edges(task, edges.after, edges.waits)
  handed = add_edges(task, edges.new_after, edges.new_waits)
end
if was_open and not is_open then handed = handed + hand_over(task, after) end
local needs, worker, lane = args.new_needs, args.new_reserved, args.new_lane
local is_queued
if args.queue == 'move' then
  local was_queued
  was_queued, is_queued = change_needs(agent, type, task, args.reserved, worker, args.needs, needs, args.lane)
  -- One whose start has just come is in no queue yet.
  if not was_queued then
    is_queued = join_queue(agent, type, task, args.priority, args.reserved, worker, needs, args.lane, args.first)
  end
else
  if before == 'pending' and args.queue ~= 'join' then dequeue(agent, type, task, args.reserved, args.needs, args.lane) end
  if args.lane and args.lane ~= lane then leave_lane(agent, type, task, args.lane) end
  is_queued = args.queue
    and join_queue(agent, type, task, args.priority, args.reserved, worker, needs, lane, args.first)
end
if is_queued then notify(agent, type, 1, worker, needs) end
if lane and args.lease == 'taken' then
  hold_lane(agent, task, lane)
elseif lane then
  if not is_open or args.lease == 'given back' and after == 'pending' then leave_lane(agent, type, task, lane) end
  settle_lane(agent, type, lane)
end
if args.lease == 'taken' then
  call('SADD', key('leased', agent), task)
  if free_slots(agent) == 0 then refresh_ready(agent, type) end
elseif args.lease == 'given back' and call('SREM', key('leased', agent), task) == 1 and free_slots(agent) == 1 then
  refresh_ready(agent, type)
end

if is_open and was_open and args.labels ~= args.new_labels then add_set(task_type, args.new_labels, 1, args.labels_of) end
if was_open and (not is_open or args.labels ~= args.new_labels) then add_set(task_type, args.labels, -1) end
if after == 'deleted' then add_uses(agent, args.version, -1) end

if ENDED[after] and not ENDED[before] then call('ZADD', key('ended', agent), args.at, task) end
if ENDED[before] and not ENDED[after] then call('ZREM', key('ended', agent), task) end

local works = { running = true, input_required = true }
if before ~= after and (works[before] or works[after]) then
  local of_status = key('tasks:agent', agent) .. ':status:'
  local status = args.agent_status
  if call('EXISTS', of_status .. 'running') == 1 then
    status = 'active'
  elseif call('EXISTS', of_status .. 'input_required') == 1 then
    status = 'waiting'
  end
  if status ~= old_status then
    index_agent('ZREM', agent, type, old_status)
    call('HSET', key('agent', agent), 'status', status)
    index_agent('ZADD', agent, type, status)
    append_event(agent, { type = 'agent.status', status = status, at = args.at })
  end
end
keep_reply(args.kept, ARGV[6])
local left, ends
if budgets then left, ends = spend_of(budgets, agent, args.costs.micros, args.at) end
return { 'changed', last, call('ZCARD', key('ended', agent)), handed, left, ends }
