--- @include "keys"

-- The indexes of an agent by type and status.
local function agent_indexes(type, status)
  local all, of_type = KEYS[1] .. 'agents', KEYS[1] .. 'agents:type:' .. type
  return { all, all .. ':status:' .. status, of_type, of_type .. ':status:' .. status }
end

-- Adds an agent to the indexes of paused agents ('ZADD', by order of ids), or removes it from them ('ZREM').
local function index_paused(command, id, type, status)
  for _, index in ipairs(agent_indexes(type, status)) do
    if command == 'ZADD' then call('ZADD', index .. ':paused', 0, id) else call('ZREM', index .. ':paused', id) end
  end
end

-- The same of all its indexes.
local function index_agent(command, id, type, status)
  for _, index in ipairs(agent_indexes(type, status)) do
    if command == 'ZADD' then call('ZADD', index, 0, id) else call('ZREM', index, id) end
  end
  if is_paused(id) then index_paused(command, id, type, status) end
end

-- Returns the served JSON of an agent, whose status is stored apart; nil when the agent does not exist.
local function read_agent(id)
  local parts = call('HMGET', key('agent', id), 'head', 'status', 'tail')
  return parts[1] and table.concat(parts) or nil
end

-- Whether a record fits an If-Match: a list of strong entity tags, empty when there is no condition.
local function is_match(record, etags)
  if #etags == 0 then return true end
  local current = '"' .. redis.sha1hex(record) .. '"'
  for _, etag in ipairs(etags) do
    if etag == current then return true end
  end
  return false
end

-- The name of a version in the zset of those that are kept, so that it sorts by number. Its score is how many tasks
-- name it.
local function version_name(version) return string.format('%09d', version) end

-- Changes how many tasks name a version, if their agent exists.
local function add_uses(agent, version, change)
  if version then call('ZADD', key('definition-uses', agent), 'XX', 'INCR', change, version_name(version)) end
end

-- A task's score in its agent's queue: by priority, then by order of arrival. Exact up to 1e14 arrivals.
local PRIORITY = 1e14

-- An agent with tasks of these needs joins the round robin at its end, unless it is paused.
local function make_ready(agent, type, needs)
  if is_paused(agent) then return end
  call('ZADD', with_needs('ready', type, needs), call('INCR', KEYS[1] .. 'turns'), agent)
  register_needs('ready', type, needs)
end

local function make_unready(agent, type, needs)
  if call('ZREM', with_needs('ready', type, needs), agent) == 1 then unregister_needs('ready', type, needs) end
end

-- Queues a task for any worker that meets its needs.
local function insert(agent, type, task, score, needs)
  local queue = with_needs('queue', agent, needs)
  call('ZADD', queue, score, task)
  if call('ZCARD', queue) == 1 then
    register_needs('queue', agent, needs)
    make_ready(agent, type, needs)
  end
end

-- Queues a task for one worker, in place of the queue of its agent: so it is in nobody's way.
local function reserve(agent, task, score, worker, needs)
  call('ZADD', with_needs('reserved', worker, needs), score, task)
  register_needs('reserved', worker, needs)
  call('HINCRBY', key('reservations', agent), worker, 1)
end

local function unreserve(agent, task, worker, needs)
  if call('ZREM', with_needs('reserved', worker, needs), task) == 0 then return end
  unregister_needs('reserved', worker, needs)
  local reservations = key('reservations', agent)
  if call('HINCRBY', reservations, worker, -1) == 0 then call('HDEL', reservations, worker) end
end

-- Queues a task behind the others of its priority; with a worker, only for this one.
local function enqueue(agent, type, task, priority, worker, needs)
  local score = priority * PRIORITY + call('HINCRBY', key('agent', agent), 'arrivals', 1)
  if worker then reserve(agent, task, score, worker, needs) else insert(agent, type, task, score, needs) end
end

-- The same for a task that may be queued already, perhaps `reserved` for a worker: it stays, or joins the queue of its
-- agent in the order of its arrival when its reservation is over. Returns whether workers have to know.
local function join_queue(agent, type, task, priority, reserved, worker, needs)
  if call('ZSCORE', with_needs('queue', agent, needs), task) then return false end
  local score = reserved and call('ZSCORE', with_needs('reserved', reserved, needs), task)
  if score and worker then return false end
  if score then
    unreserve(agent, task, reserved, needs)
    insert(agent, type, task, score, needs)
  else
    enqueue(agent, type, task, priority, worker, needs)
  end
  return true
end

-- An agent without tasks of these needs leaves their round robin.
local function dequeue(agent, type, task, reserved, needs)
  local queue = with_needs('queue', agent, needs)
  if call('ZREM', queue, task) == 1 and call('EXISTS', queue) == 0 then
    unregister_needs('queue', agent, needs)
    make_unready(agent, type, needs)
  end
  if reserved then unreserve(agent, task, reserved, needs) end
end

-- Moves a task to the queue of its new needs, in its order of arrival. Returns whether it was in a queue.
local function change_needs(agent, type, task, reserved, worker, before, needs)
  local score = call('ZSCORE', with_needs('queue', agent, before), task)
    or reserved and call('ZSCORE', with_needs('reserved', reserved, before), task)
  if not score then return false end
  dequeue(agent, type, task, reserved, before)
  if worker then reserve(agent, task, score, worker, needs) else insert(agent, type, task, score, needs) end
  return true
end

-- Wakes workers that wait: `count` tasks of the agent with these needs have become ready, with a worker only for this
-- one, whatever they need; not if it is paused. The stream keeps at least as many wakeups as StreamReader reads at
-- once: so the reader sees that some were trimmed.
local function notify(agent, type, count, worker, needs)
  if is_paused(agent) then return end
  local wakeup = { 'a', agent, 'y', type, 'n', count }
  if worker then
    wakeup = { 'a', agent, 'y', type, 'n', count, 'w', worker }
  elseif needs ~= '' then
    wakeup = { 'a', agent, 'y', type, 'n', count, 's', needs }
  end
  call('XADD', KEYS[1] .. 'wake', 'MAXLEN', '~', 1000, '*', unpack(wakeup))
end

-- The same for all that is queued.
local function notify_queued(agent, type)
  for _, needs in ipairs(needs_of('queue', agent)) do
    local count = call('ZCARD', with_needs('queue', agent, needs))
    if count > 0 then notify(agent, type, count, nil, needs) end
  end
end

-- Wakes the workers for which tasks of the agent are reserved.
local function notify_reserved(agent, type)
  local counts = call('HGETALL', key('reservations', agent))
  for at = 1, #counts, 2 do notify(agent, type, counts[at + 1], counts[at]) end
end
