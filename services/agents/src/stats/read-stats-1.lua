-- Counts agents and tasks by status and type, workers, and what attempts have used, and finds the oldest pending task
-- of each type.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {types: [], agent_statuses: [], task_statuses: [], counters: [], spenders: how many agents with the
--         highest cost, seen: workers that were last seen since this ms} Tasks of deleted agents count until they are
--         removed.
-- Returns {number of workers, {number of agents, by status…, by type…}, {the same of tasks}, {type, id of its oldest
--         pending task, agent, …}, the hash `spend`, {agent with the highest cost, its total of each counter…, …},
--         number of suspended tasks}.
--- @flags no-writes
--- @include "keys"
--- @include "oldest-pending"
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

local tasks = count_by_type('tasks', count_all(KEYS[1] .. 'tasks', args.task_statuses))

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
return { workers, agents, tasks, find_oldest_pending(args.types), call('HGETALL', KEYS[1] .. 'spend'), spenders, call('SCARD', KEYS[1] .. 'suspended') }
