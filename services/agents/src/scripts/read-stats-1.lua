-- Counts agents and tasks by status and type, workers, and what attempts have used, and finds the oldest pending task
-- of each type.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {types: [], agent_statuses: [], task_statuses: [], counters: [], spenders: how many agents
--         with the highest cost, seen: workers that were last seen since this ms}
--         As each takes time, tasks of only the first 10 deleted agents that still have some are left out. By type,
--         those of an agent that had several types are counted until they are removed.
-- Returns {number of workers, {number of agents, by status…, by type…}, {the same of tasks}, {type, id of its oldest
--         pending task, agent, …}, the hash `spend`, {agent with the highest cost, its total of each counter…, …}}.
--- @flags no-writes
--- @include "keys"
--- @include "words"
local MAX_HIDDEN = 10
local args = cjson.decode(ARGV[1])

local function count_all(name, statuses)
  local counts = { call('ZCARD', name) }
  for _, status in ipairs(statuses) do counts[#counts + 1] = call('ZCARD', name .. ':status:' .. status) end
  return counts
end

local function count_by_type(name, counts)
  for _, type in ipairs(args.types) do counts[#counts + 1] = call('ZCARD', key(name .. ':type', type)) end
  return counts
end

-- Returns the indexes of the tasks of deleted agents, each with its type.
local function find_hidden()
  local hidden, purges = {}, KEYS[1] .. 'purges'
  if call('EXISTS', purges) == 0 then return hidden end
  local found = call('HSCAN', purges, 0, 'COUNT', 100)[2]
  for at = 1, #found, 2 do
    local index, types = key('tasks:agent', found[at]), words(found[at + 1])
    if #hidden < MAX_HIDDEN and call('EXISTS', index) == 1 then
      hidden[#hidden + 1] = { index = index, type = #types == 1 and types[1] or nil }
    end
  end
  return hidden
end

local hidden = find_hidden()
local tasks = count_by_type('tasks', count_all(KEYS[1] .. 'tasks', args.task_statuses))
for _, part in ipairs(hidden) do
  local counts = count_all(part.index, args.task_statuses)
  for at, count in ipairs(counts) do tasks[at] = tasks[at] - count end
  for at, type in ipairs(args.types) do
    if type == part.type then tasks[#counts + at] = tasks[#counts + at] - counts[1] end
  end
end

-- Returns the first entry of an index that is not in any of `parts`, which are parts of it: in O(log² n).
local function find_first(index, parts)
  local function count_visible_before(rank)
    local id = call('ZRANGE', index, rank, rank)[1]
    if not id then return math.huge end
    for _, part in ipairs(parts) do rank = rank - call('ZLEXCOUNT', part, '-', '(' .. id) end
    return rank
  end
  local low, high = 0, 0
  for _, part in ipairs(parts) do high = high + call('ZCARD', part) end
  if high > 0 and high == call('ZCARD', index) then return nil end
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if count_visible_before(middle) == 0 then low = middle else high = middle - 1 end
  end
  return call('ZRANGE', index, low, low)[1]
end

local oldest = {}
for _, type in ipairs(args.types) do
  local parts = {}
  for _, part in ipairs(hidden) do
    if part.type == type then parts[#parts + 1] = part.index .. ':status:pending' end
  end
  local task = find_first(key('tasks:type', type) .. ':status:pending', parts)
  -- A record begins with the ids of its task and agent.
  local agent = task and call('GETRANGE', key('task', task), 57, 92)
  if agent and call('EXISTS', key('agent', agent)) == 1 then
    for _, value in ipairs({ type, task, agent }) do oldest[#oldest + 1] = value end
  end
end

local totals = {}
for at, counter in ipairs(args.counters) do totals[at] = counter .. ' total' end
local spenders = {}
for _, agent in ipairs(call('ZREVRANGE', KEYS[1] .. 'spend:agents', 0, args.spenders - 1)) do
  spenders[#spenders + 1] = agent
  for _, count in ipairs(call('HMGET', key('spend:agent', agent), unpack(totals))) do
    spenders[#spenders + 1] = count or '0'
  end
end

local agents = count_by_type('agents', count_all(KEYS[1] .. 'agents', args.agent_statuses))
local workers = call('ZCOUNT', KEYS[1] .. 'workers', args.seen, '+inf')
return { workers, agents, tasks, oldest, call('HGETALL', KEYS[1] .. 'spend'), spenders }
