--- @include "keys"

-- A task's score in its agent's queue: by priority, then by order of arrival. Exact up to 1e14 arrivals.
local PRIORITY = 1e14

-- An agent with tasks of these needs joins the round robin at its end, unless none of its tasks may be leased.
local function make_ready(agent, type, needs)
  if free_slots(agent) == 0 then return end
  call('ZADD', with_needs('ready', type, needs), call('INCR', KEYS[1] .. 'turns'), agent)
  register_needs('ready', type, needs)
end

local function make_unready(agent, type, needs)
  if call('ZREM', with_needs('ready', type, needs), agent) == 1 then unregister_needs('ready', type, needs) end
end

-- Wakes workers that wait: `count` tasks of the agent with these needs have become ready, with a worker only for this
-- one, whatever they need; not if none may be leased. The stream keeps at least as many wakeups as StreamReader reads
-- at once: so the reader sees that some were trimmed.
local function notify(agent, type, count, worker, needs)
  local free = free_slots(agent)
  if free == 0 then return end
  local wakeup = { 'a', agent, 'y', type, 'n', math.min(count, free) }
  if worker then
    wakeup[7], wakeup[8] = 'w', worker
  elseif needs ~= '' then
    wakeup[7], wakeup[8] = 's', needs
  end
  call('XADD', KEYS[1] .. 'wake', 'MAXLEN', '~', 1000, '*', unpack(wakeup))
end

-- The same for all that is queued, also for one worker.
local function notify_queued(agent, type)
  for _, needs in ipairs(needs_of('queue', agent)) do
    local count = call('ZCARD', with_needs('queue', agent, needs))
    if count > 0 then notify(agent, type, count, nil, needs) end
  end
  local counts = call('HGETALL', key('reservations', agent))
  for at = 1, #counts, 2 do notify(agent, type, tonumber(counts[at + 1]), counts[at]) end
end

-- Lets an agent with tasks take part in the round robin, if they may be leased, else not any more.
local function refresh_ready(agent, type)
  local is_ready = free_slots(agent) > 0
  for _, needs in ipairs(needs_of('queue', agent)) do
    if not is_ready then
      make_unready(agent, type, needs)
    elseif call('EXISTS', with_needs('queue', agent, needs)) == 1
      and not call('ZSCORE', with_needs('ready', type, needs), agent) then
      make_ready(agent, type, needs)
    end
  end
  if is_ready then notify_queued(agent, type) end
end

-- With `max`, at most as many tasks of an agent are leased at once.
local function set_concurrency(agent, type, max)
  if call('HGET', key('agent', agent), 'max_concurrency') == (max and tostring(max) or false) then return end
  if max then call('HSET', key('agent', agent), 'max_concurrency', max) else call('HDEL', key('agent', agent), 'max_concurrency') end
  refresh_ready(agent, type)
end

-- Queues a task for any worker that meets its needs; with a worker only for this one, in place of the queue of its
-- agent: so it is in nobody's way.
local function insert(agent, type, task, score, worker, needs)
  if worker then
    call('ZADD', with_needs('reserved', worker, needs), score, task)
    register_needs('reserved', worker, needs)
    call('HINCRBY', key('reservations', agent), worker, 1)
    return
  end
  local queue = with_needs('queue', agent, needs)
  call('ZADD', queue, score, task)
  if call('ZCARD', queue) == 1 then
    register_needs('queue', agent, needs)
    make_ready(agent, type, needs)
  end
end

-- An agent without tasks of these needs leaves their round robin.
local function remove(agent, type, task, reserved, needs)
  local queue = with_needs('queue', agent, needs)
  if call('ZREM', queue, task) == 1 and call('EXISTS', queue) == 0 then
    unregister_needs('queue', agent, needs)
    make_unready(agent, type, needs)
  end
  if not reserved or call('ZREM', with_needs('reserved', reserved, needs), task) == 0 then return end
  unregister_needs('reserved', reserved, needs)
  local reservations = key('reservations', agent)
  if call('HINCRBY', reservations, reserved, -1) == 0 then call('HDEL', reservations, reserved) end
end

-- Of the tasks of an agent with the same concurrency key, which are a lane, one at a time is queued or leased. `lanes`
-- has those that are ready as `<lane> <score> <task>`; `lane-tasks` has `task <task>` → the rest of what `insert` takes
-- of them, `next <lane>` → the one that is queued, `held <lane>` → the one that is leased or waits for a person.
local function lane_member(lane, score, task) return lane .. ' ' .. string.format('%016.0f', score) .. ' ' .. task end

local function read_lane_task(agent, task)
  local found = call('HGET', key('lane-tasks', agent), 'task ' .. task)
  if not found then return nil end
  local score, worker, needs = found:match('(%S+) (%S*) (%S*)')
  return { score = tonumber(score), worker = worker ~= '' and worker or nil, needs = needs }
end

-- Queues the first task of a lane, or the one that holds it, in place of another one.
local function settle_lane(agent, type, lane)
  local tasks = key('lane-tasks', agent)
  local fields = call('HMGET', tasks, 'held ' .. lane, 'next ' .. lane)
  local held, queued, first = fields[1], fields[2], nil
  if held then
    first = call('HEXISTS', tasks, 'task ' .. held) == 1 and held or nil
  else
    local member = call('ZRANGE', key('lanes', agent), '[' .. lane .. ' ', '(' .. lane .. '!', 'BYLEX', 'LIMIT', 0, 1)[1]
    first = member and member:sub(-36)
  end
  if first == (queued or nil) then return end
  if queued then
    local other = read_lane_task(agent, queued)
    if other then remove(agent, type, queued, other.worker, other.needs) end
    call('HDEL', tasks, 'next ' .. lane)
  end
  if not first then return end
  local task = read_lane_task(agent, first)
  call('HSET', tasks, 'next ' .. lane, first)
  insert(agent, type, first, task.score, task.worker, task.needs)
  notify(agent, type, 1, task.worker, task.needs)
end

-- Queues a task; returns whether workers have to know.
local function put(agent, type, task, score, worker, needs, lane)
  if not lane then
    insert(agent, type, task, score, worker, needs)
    return true
  end
  call('ZADD', key('lanes', agent), 0, lane_member(lane, score, task))
  local rest = string.format('%.0f', score) .. ' ' .. (worker or '') .. ' ' .. needs
  call('HSET', key('lane-tasks', agent), 'task ' .. task, rest)
  settle_lane(agent, type, lane)
  return false
end

-- Takes a task out of its queue. Its lane then has none in the queue until `settle_lane`.
local function dequeue(agent, type, task, reserved, needs, lane)
  if not lane then return remove(agent, type, task, reserved, needs) end
  local found, tasks = read_lane_task(agent, task), key('lane-tasks', agent)
  if not found then return end
  call('ZREM', key('lanes', agent), lane_member(lane, found.score, task))
  call('HDEL', tasks, 'task ' .. task)
  if call('HGET', tasks, 'next ' .. lane) ~= task then return end
  call('HDEL', tasks, 'next ' .. lane)
  remove(agent, type, task, found.worker, found.needs)
end

-- The score of a task that is queued, perhaps for one worker, or in its lane.
local function queued_score(agent, task, reserved, needs, lane)
  if lane then
    local found = read_lane_task(agent, task)
    return found and found.score
  end
  return tonumber(call('ZSCORE', with_needs('queue', agent, needs), task)
    or reserved and call('ZSCORE', with_needs('reserved', reserved, needs), task) or nil)
end

-- Queues a task behind the others of its priority, or first: before all that have arrived, in the order of creation.
-- With a worker, only for this one. Returns whether workers have to know.
local function enqueue(agent, type, task, priority, worker, needs, lane, first)
  local score = priority * PRIORITY + (first and 0 or call('HINCRBY', key('agent', agent), 'arrivals', 1))
  return put(agent, type, task, score, worker, needs, lane)
end

-- The same for a task that may be queued already, perhaps `reserved` for a worker: it stays, or joins the queue of its
-- agent in the order of its arrival when its reservation is over.
local function join_queue(agent, type, task, priority, reserved, worker, needs, lane, first)
  local score = queued_score(agent, task, reserved, needs, lane)
  if not score then return enqueue(agent, type, task, priority, worker, needs, lane, first) end
  local found = lane and read_lane_task(agent, task)
  local was_reserved = not lane and reserved and call('ZSCORE', with_needs('reserved', reserved, needs), task)
  if worker or not (was_reserved or found and found.worker) then return false end
  dequeue(agent, type, task, reserved, needs, lane)
  return put(agent, type, task, score, worker, needs, lane)
end

-- Moves a task to the queue of its new needs, in its order of arrival. Returns whether it was in one, and whether
-- workers have to know.
local function change_needs(agent, type, task, reserved, worker, before, needs, lane)
  local score = queued_score(agent, task, reserved, before, lane)
  if not score then return false, false end
  dequeue(agent, type, task, reserved, before, lane)
  return true, put(agent, type, task, score, worker, needs, lane)
end

-- The task holds its lane while it is leased, or waits for a person.
local function hold_lane(agent, task, lane)
  call('HSET', key('lane-tasks', agent), 'held ' .. lane, task)
end

local function leave_lane(agent, type, task, lane)
  local tasks = key('lane-tasks', agent)
  if call('HGET', tasks, 'held ' .. lane) == task then call('HDEL', tasks, 'held ' .. lane) end
  settle_lane(agent, type, lane)
end

-- Whether another task of the lane is leased.
local function is_lane_held(agent, task, lane)
  local held = call('HGET', key('lane-tasks', agent), 'held ' .. lane)
  return held and held ~= task
end
