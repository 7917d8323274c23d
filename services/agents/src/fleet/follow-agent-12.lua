-- Brings the fleet's indexes, timers and events up to an agent's events: each is taken once, in the order of their numbers, whoever
-- brings it and how often. Rings for work that has come to the agent, and closes the change's entry in the outbox.
-- KEYS[1] places of agents, KEYS[2] removed agents, KEYS[3] index of agents, KEYS[4] places of tasks, KEYS[5] index of tasks,
--         KEYS[6] timers, KEYS[7] the fleet's events, KEYS[8] the number of the last of them, KEYS[9] outbox, KEYS[10] index of agents
--         with work, KEYS[11] rings, KEYS[12] wake; the names of the indexes' parts begin with theirs
-- ARGV    1 agent id, 2 now in ms, 3 entry of the outbox ('' none), 4 how many tasks have become ready, 5 rings at which the agent was
--         found without work ('' it was not), 6 how many events are kept, 7 whether events before the first may be missing for ever (1),
--         8 number of the first event; then for each event: JSON, task id ('' the agent's own), status ('' as it is, 'deleted'), when
--         something is due for the task in ms (0 nothing), its tags ('-' as they are) or the agent's type ('' as it is)
-- Returns {1, 0}, or {0, number of the last event that is here} when events before the first are missing: nothing is done then.
local id = ARGV[1]
local place = redis.call('HGET', KEYS[1], id)
local function close()
  if ARGV[3] ~= '' then redis.call('ZREM', KEYS[9], ARGV[3]) end
  return { 1, 0 }
end
if place == 'removed' then return close() end

local seq, status, type = 0, nil, nil
if place then
  seq, status, type = place:match('^(%d+) (%S+) (%S+)$')
  seq = tonumber(seq)
end
local first = tonumber(ARGV[8])
if #ARGV > 8 and seq < first - 1 and ARGV[7] ~= '1' then return { 0, seq } end

local function turn()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

local function each_agent_index(change)
  for _, scope in ipairs({ '', ':type:' .. type }) do
    change(KEYS[3] .. scope)
    change(KEYS[3] .. scope .. ':status:' .. status)
  end
end

local function take_agent_event(new_status, new_type)
  if status then each_agent_index(function(index) redis.call('ZREM', index, id) end) end
  if new_status == 'deleted' then
    redis.call('ZREM', KEYS[10] .. ':' .. type, id)
    redis.call('HDEL', KEYS[11], id)
    redis.call('HSET', KEYS[1], id, 'removed')
    redis.call('ZADD', KEYS[2], ARGV[2], id)
    status = nil
    return
  end
  if new_type ~= '' and type and new_type ~= type then
    local waits = redis.call('ZSCORE', KEYS[10] .. ':' .. type, id)
    if waits then
      redis.call('ZREM', KEYS[10] .. ':' .. type, id)
      redis.call('ZADD', KEYS[10] .. ':' .. new_type, waits, id)
    end
  end
  if new_status ~= '' then status = new_status end
  if new_type ~= '' then type = new_type end
  each_agent_index(function(index) redis.call('ZADD', index, 0, id) end)
end

-- Calls `change` with the name of each index that a task with this status and these tags is in; only those by status, or all.
local function each_task_index(task_status, task_type, tags, only_status, change)
  local function pair(index)
    if not only_status then change(index) end
    change(index .. ':status:' .. task_status)
  end
  pair(KEYS[5])
  pair(KEYS[5] .. ':type:' .. task_type)
  for tag in tags:gmatch('%S+') do
    pair(KEYS[5] .. ':tag:' .. tag)
    pair(KEYS[5] .. ':type:' .. task_type .. ':tag:' .. tag)
    pair(KEYS[5] .. ':agent:' .. id .. ':tag:' .. tag)
  end
end

local function take_task_event(task, new_status, due, new_tags)
  local member, timer = task .. ' ' .. id, id .. ' ' .. task
  local function add(index) redis.call('ZADD', index, 0, member) end
  local function remove(index) redis.call('ZREM', index, member) end
  if due == '0' then redis.call('ZREM', KEYS[6], timer) else redis.call('ZADD', KEYS[6], due, timer) end
  local task_place = redis.call('HGET', KEYS[4], task)
  local was, was_type, was_tags
  if task_place then was, was_type, was_tags = task_place:match('^(%S+) (%S+)(.*)$') end
  if new_status == 'deleted' then
    if was then each_task_index(was, was_type, was_tags, false, remove) end
    redis.call('HDEL', KEYS[4], task)
    return
  end
  local tags = new_tags == '-' and was_tags or new_tags ~= '-' and ' ' .. new_tags or ''
  if was == new_status and was_tags == tags then return end
  local only_status = was_tags == tags
  local task_type = was_type or type
  if was then each_task_index(was, was_type, was_tags, only_status, remove) end
  each_task_index(new_status, task_type, tags, only_status, add)
  redis.call('HSET', KEYS[4], task, new_status .. ' ' .. task_type .. tags)
end

local last = seq
for at = 9, #ARGV, 5 do
  local number = first + (at - 9) / 5
  if number > seq then
    local task = ARGV[at + 1]
    if task == '' then
      take_agent_event(ARGV[at + 2], ARGV[at + 4])
    else
      take_task_event(task, ARGV[at + 2], ARGV[at + 3], ARGV[at + 4])
    end
    local fleet_seq = redis.call('INCR', KEYS[8])
    redis.call('XADD', KEYS[7], 'MAXLEN', '~', ARGV[6], fleet_seq .. '-0', 'e', ARGV[at], 'a', id, 'n', number, 't', task, 's', ARGV[at + 2])
    last = number
    if not status then return close() end
  end
end
if last > seq then redis.call('HSET', KEYS[1], id, string.format('%d %s %s', last, status, type)) end

if status then
  local ready = tonumber(ARGV[4])
  if ready > 0 then
    redis.call('ZADD', KEYS[10] .. ':' .. type, 'NX', turn(), id)
    redis.call('HINCRBY', KEYS[11], id, 1)
    redis.call('XADD', KEYS[12], 'MAXLEN', '~', 1000, '*', 'a', id, 'y', type, 'n', ready)
  elseif ARGV[5] ~= '' and redis.call('HGET', KEYS[11], id) == ARGV[5] then
    redis.call('ZREM', KEYS[10] .. ':' .. type, id)
    redis.call('HDEL', KEYS[11], id)
  end
end
return close()
