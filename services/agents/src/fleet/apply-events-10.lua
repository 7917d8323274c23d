-- Applies events of some agents to the fleet's indexes, timers and event stream: each event once, in the order of their
-- numbers, whichever replica delivers it and however often.
-- KEYS[1] index entries of agents, KEYS[2] tombstones, KEYS[3] index of agents, KEYS[4] index entries of tasks, KEYS[5]
--         index of tasks, KEYS[6] timers, KEYS[7] the fleet's events, KEYS[8] number of its last event, KEYS[9] prefix
--         of the indexes of agents with work, KEYS[10] last wakeups. KEYS[3] and KEYS[5] are also the prefixes of the
--         filtered indexes.
-- ARGV    1 now in ms, 2 how many events the fleet keeps, then for each agent: its id, number of the first event,
--         whether events before it may be lost for ever (1), how many events, and for each event: JSON, task id ('' the
--         agent's own), status ('' unchanged, 'deleted'), the task's next deadline in ms (0 none), its tags ('='
--         unchanged) or the agent's type ('' unchanged)
-- Returns for each agent -1, or the number of its last applied event when events before the first are missing; nothing
--         is applied then.
local call = redis.call
local now, kept = ARGV[1], ARGV[2]
local status_part, type_part, tag_part, agent_part = ':status:', ':type:', ':tag:', ':agent:'

local function index_agent(command, id, status, type)
  for _, index in ipairs({ KEYS[3], KEYS[3] .. type_part .. type }) do
    if command == 'ZADD' then
      call('ZADD', index, 0, id)
      call('ZADD', index .. status_part .. status, 0, id)
    else
      call('ZREM', index, id)
      call('ZREM', index .. status_part .. status, id)
    end
  end
end

local function change_agent_status(id, type, before, after)
  for _, index in ipairs({ KEYS[3], KEYS[3] .. type_part .. type }) do
    call('ZREM', index .. status_part .. before, id)
    call('ZADD', index .. status_part .. after, 0, id)
  end
end

local function remove_agent(id, status, type)
  index_agent('ZREM', id, status, type)
  call('ZREM', KEYS[9] .. ':' .. type, id)
  call('HDEL', KEYS[10], id)
  call('HSET', KEYS[1], id, 'removed')
  call('ZADD', KEYS[2], now, id)
end

-- Keeps the agent's position in the round robin.
local function change_type_of_work(id, before, after)
  local turn = call('ZSCORE', KEYS[9] .. ':' .. before, id)
  if not turn then return end
  call('ZREM', KEYS[9] .. ':' .. before, id)
  call('ZADD', KEYS[9] .. ':' .. after, turn, id)
end

-- The indexes of a task, without their filters by status, and its member in each. The indexes of its agent hold the
-- task id alone, which takes a tenth of the memory.
local function task_indexes(agent, type, tags, task)
  local member = task .. ' ' .. agent
  local indexes, members = { KEYS[5], KEYS[5] .. type_part .. type }, { member, member }
  for tag in tags:gmatch('%S+') do
    local last = #indexes
    indexes[last + 1] = KEYS[5] .. tag_part .. tag
    indexes[last + 2] = KEYS[5] .. type_part .. type .. tag_part .. tag
    indexes[last + 3] = KEYS[5] .. agent_part .. agent .. tag_part .. tag
    members[last + 1], members[last + 2], members[last + 3] = member, member, task
  end
  return indexes, members
end

local function apply_task_event(agent, type, task, status, due, given)
  if due == '0' then call('ZREM', KEYS[6], agent .. ' ' .. task) else call('ZADD', KEYS[6], due, agent .. ' ' .. task) end
  local entry = call('HGET', KEYS[4], task)
  local was, was_type, was_tags
  if entry then was, was_type, was_tags = entry:match('^(%S+) (%S+)(.*)$') end
  local tags = given == '=' and (was_tags or '') or given == '' and '' or ' ' .. given
  if was == status and was_tags == tags then return end
  local task_type = was_type or type
  if was and was_tags == tags and status ~= 'deleted' then
    local indexes, members = task_indexes(agent, task_type, tags, task)
    for at = 1, #indexes do
      call('ZREM', indexes[at] .. status_part .. was, members[at])
      call('ZADD', indexes[at] .. status_part .. status, 0, members[at])
    end
  else
    if was then
      local indexes, members = task_indexes(agent, task_type, was_tags, task)
      for at = 1, #indexes do
        call('ZREM', indexes[at], members[at])
        call('ZREM', indexes[at] .. status_part .. was, members[at])
      end
    end
    if status == 'deleted' then
      call('HDEL', KEYS[4], task)
      return
    end
    local indexes, members = task_indexes(agent, task_type, tags, task)
    for at = 1, #indexes do
      call('ZADD', indexes[at], 0, members[at])
      call('ZADD', indexes[at] .. status_part .. status, 0, members[at])
    end
  end
  call('HSET', KEYS[4], task, status .. ' ' .. task_type .. tags)
end

-- Applies `count` events of one agent, which begin at ARGV[at].
local function apply(id, first, may_miss, at, count)
  local entry = call('HGET', KEYS[1], id)
  if entry == 'removed' then return -1 end
  local seq, status, type = 0, nil, nil
  if entry then
    seq, status, type = entry:match('^(%d+) (%S+) (%S+)$')
    seq = tonumber(seq)
  end
  if seq < first - 1 and not may_miss then return seq end
  for number = first, first + count - 1 do
    if number > seq then
      local task, event_status, detail = ARGV[at + 1], ARGV[at + 2], ARGV[at + 4]
      local fleet_seq = call('INCR', KEYS[8])
      -- Fields: e JSON, a agent id, n number in the agent's stream, t task id ('' none), s status ('' unchanged).
      call('XADD', KEYS[7], 'MAXLEN', '~', kept, fleet_seq .. '-0', 'e', ARGV[at], 'a', id, 'n', number, 't', task, 's', event_status)
      if task ~= '' then
        apply_task_event(id, type, task, event_status, ARGV[at + 3], detail)
      elseif event_status == 'deleted' then
        remove_agent(id, status, type)
        return -1
      else
        local new_status = event_status ~= '' and event_status or status
        local new_type = detail ~= '' and detail or type
        if not status then
          index_agent('ZADD', id, new_status, new_type)
        elseif new_type == type then
          if new_status ~= status then change_agent_status(id, type, status, new_status) end
        else
          index_agent('ZREM', id, status, type)
          index_agent('ZADD', id, new_status, new_type)
          change_type_of_work(id, type, new_type)
        end
        status, type = new_status, new_type
      end
      seq = number
    end
    at = at + 5
  end
  call('HSET', KEYS[1], id, string.format('%d %s %s', seq, status, type))
  return -1
end

local replies = {}
local at = 3
while at <= #ARGV do
  local count = tonumber(ARGV[at + 3])
  replies[#replies + 1] = apply(ARGV[at], tonumber(ARGV[at + 1]), ARGV[at + 2] == '1', at + 4, count)
  at = at + 4 + 5 * count
end
return replies
