-- Reads the next tasks for some requests, and moves the turns of their agents. No task is read twice, and none of a
-- paused agent: first those that are reserved for the worker, then agents of the requested types take turns, one task
-- at a time.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON [{agent, or types: [] and perhaps agents: [] (only these), max, worker?, offers: [] (what tasks
--         may need of the worker: others are not for it)}] After 256 KiB of records, which take time to copy, each
--         further request gets one task.
-- Returns for each request {type of the last task's agent, a blank and needs of which it has more, else '', record,
--          state, record, state, …}, or
--         {-1} when the requested agent does not exist.
--- @include "keys"
local MAX_BYTES = 256 * 1024
-- Reserved tasks that one script looks at: this many take about 1 ms. Others wait until some of these are gone.
local MAX_RESERVED = 500
local requests = cjson.decode(ARGV[1])
local peeked = {}
local bytes = 0

-- By needs, a list of them.
local split = {}

local function split_needs(needs)
  local list = {}
  for need in needs:gmatch('[^+]+') do list[#list + 1] = need end
  split[needs] = list
  return list
end

local function meets(is_offered, needs)
  for _, need in ipairs(split[needs] or split_needs(needs)) do
    if not is_offered[need] then return false end
  end
  return true
end

-- By agent, the needs of its queues.
local agent_needs = {}

local function needs_of_agent(agent)
  agent_needs[agent] = agent_needs[agent] or needs_of('queue', agent)
  return agent_needs[agent]
end

-- The queues of those of these needs that somebody with these offers meets.
local function select_met(name, id, needs, request)
  local queues = {}
  for _, need in ipairs(needs) do
    if need == '' or meets(request.is_offered, need) then queues[#queues + 1] = with_needs(name, id, need) end
  end
  return queues
end

-- By agent and offers, its queues that are for a request.
local met = {}

local function queues_for(agent, request)
  local source = agent .. ' ' .. request.offered
  met[source] = met[source] or select_met('queue', agent, needs_of_agent(agent), request)
  return met[source]
end

-- By agent, how many more of its tasks may be leased.
local slots = {}

local function has_slot(agent)
  slots[agent] = slots[agent] or free_slots(agent)
  return slots[agent] > 0
end

-- Returns the next task of an agent, by its score in the queues that are for a request, that this call has not returned
-- yet.
local function next_task(agent, request)
  if not has_slot(agent) then return nil end
  local next, score, queue
  for _, name in ipairs(queues_for(agent, request)) do
    local rank = peeked[name] or 0
    local found = call('ZRANGE', name, rank, rank, 'WITHSCORES')
    local own = tonumber(found[2])
    if own and (not score or own < score) then next, score, queue = found[1], own, name end
  end
  if next then peeked[queue], slots[agent] = (peeked[queue] or 0) + 1, slots[agent] - 1 end
  return next
end

-- The needs of which an agent has more tasks for a request; nil when it has none.
local function more_needs(agent, request)
  if not has_slot(agent) then return nil end
  for _, name in ipairs(queues_for(agent, request)) do
    if call('ZCARD', name) > (peeked[name] or 0) then return name:sub(#key('queue', agent) + 2) end
  end
end

-- By its name, the round robin of a type and needs: its agent whose last turn is longest ago, and that turn. Each is
-- read once, and again when this agent had its turn: there may be many.
local heads = {}

local function head_of(ready)
  local head = heads[ready]
  if not head then
    head = {}
    heads[ready] = head
  end
  if not head.turn then
    local first = call('ZRANGE', ready, 0, 0, 'WITHSCORES')
    head.agent, head.turn = first[1], tonumber(first[2]) or math.huge
  end
  return head
end

-- By type and offers, the round robins that are for a request.
local robins = {}

local function robins_for(type, request)
  local source = type .. ' ' .. request.offered
  robins[source] = robins[source] or select_met('ready', type, needs_of('ready', type), request)
  return robins[source]
end

-- By agent, its type, for requests that name agents, and by needs its turn. Without work of these it has none.
local entries = {}

local function read_entry(agent)
  entries[agent] = { type = call('HGET', key('agent', agent), 'type'), turns = {} }
  return entries[agent]
end

local function turn_of(agent, request)
  local entry, first = entries[agent] or read_entry(agent), math.huge
  for _, ready in ipairs(entry.type and robins_for(entry.type, request) or {}) do
    entry.turns[ready] = entry.turns[ready] or tonumber(call('ZSCORE', ready, agent) or math.huge)
    first = math.min(first, entry.turns[ready])
  end
  return first
end

-- The agent has its turn in all its queues.
local function take_turn(agent, type)
  local turn = call('INCR', KEYS[1] .. 'turns')
  for _, need in ipairs(needs_of_agent(agent)) do
    local ready = with_needs('ready', type, need)
    call('ZADD', ready, 'XX', turn, agent)
    if heads[ready] and heads[ready].agent == agent then heads[ready].turn = nil end
  end
  if entries[agent] then entries[agent].turns = {} end
end

-- Round robin: returns the agent of these types whose last turn is longest ago.
local function next_agent_of_types(request)
  local agent, of_type, turn = nil, nil, math.huge
  for _, type in ipairs(request.types) do
    for _, ready in ipairs(robins_for(type, request)) do
      local head = head_of(ready)
      if head.turn < turn then agent, of_type, turn = head.agent, type, head.turn end
    end
  end
  if agent then take_turn(agent, of_type) end
  return agent
end

-- The same of the agents that a request names, if they are of its types.
local function next_agent_of(request)
  local is_type = {}
  for _, type in ipairs(request.types) do is_type[type] = true end
  local agent, of_type, turn = nil, nil, math.huge
  for _, other in ipairs(request.agents) do
    local own, type = turn_of(other, request), entries[other].type
    if own < turn and is_type[type] then agent, of_type, turn = other, type, own end
  end
  if agent then take_turn(agent, of_type) end
  return agent
end

local function next_agent(request)
  return request.agents and next_agent_of(request) or not request.agents and next_agent_of_types(request) or nil
end

-- Sources whose tasks were all returned.
local exhausted = {}

-- Returns the next task of any agent of a request, and its agent. Passes over agents whose tasks were all returned.
local function next_task_in_turn(request)
  local source = table.concat(request.types, ' ') .. ' with ' .. request.offered
  if request.agents then source = source .. ' of ' .. table.concat(request.agents, ' ') end
  if exhausted[source] then return nil end
  local passed = {}
  local agent = next_agent(request)
  while agent and not passed[agent] do
    local task = next_task(agent, request)
    if task then return task, agent end
    passed[agent] = true
    agent = next_agent(request)
  end
  exhausted[source] = true
end

-- Whether tasks may be reserved for any of the workers.
local function has_reserved()
  local names = {}
  for _, request in ipairs(requests) do
    if request.worker then
      names[#names + 1] = key('reserved', request.worker)
      names[#names + 1] = key('reserved-needs', request.worker)
    end
  end
  return #names > 0 and call('EXISTS', unpack(names)) > 0
end

-- By worker and needs, the tasks that are reserved for it, each with its agent; false in place of those that were
-- returned.
local reserved = {}
local are_reserved, may_look_at = has_reserved(), MAX_RESERVED

local function read_reserved(name)
  local tasks = {}
  if may_look_at > 0 then tasks = call('ZRANGE', name, 0, may_look_at - 1) end
  may_look_at = may_look_at - #tasks
  for at, task in ipairs(tasks) do
    -- A record begins with the ids of the task and its agent.
    tasks[at] = { id = task, agent = call('GETRANGE', key('task', task), 57, 92) }
  end
  reserved[name] = tasks
  return tasks
end

-- By agent, its type; false for one that was deleted.
local type_of_agent = {}

local function read_type(agent)
  type_of_agent[agent] = call('HGET', key('agent', agent), 'type')
  return type_of_agent[agent]
end

local function includes(list, value)
  for _, other in ipairs(list) do
    if other == value then return true end
  end
  return false
end

local function is_requested(request, agent)
  if request.agent then return request.agent == agent end
  if request.agents and not includes(request.agents, agent) then return false end
  local type = type_of_agent[agent]
  if type == nil then type = read_type(agent) end
  return type and includes(request.types, type)
end

-- Returns the next task that is reserved for the worker of a request, and its agent.
local function next_reserved_task(request)
  local worker = are_reserved and request.worker
  for _, name in ipairs(worker and select_met('reserved', worker, needs_of('reserved', worker), request) or {}) do
    local tasks = reserved[name] or read_reserved(name)
    for at, task in ipairs(tasks) do
      if task and is_requested(request, task.agent) and has_slot(task.agent) then
        tasks[at], slots[task.agent] = false, slots[task.agent] - 1
        return task.id, task.agent
      end
    end
  end
end

-- Returns the next task for a request, and its agent.
local function next_task_for(request)
  local task, agent = next_reserved_task(request)
  if task then return task, agent end
  if request.agent then return next_task(request.agent, request), request.agent end
  return next_task_in_turn(request)
end

-- Types of which nothing is leased, as a budget is used up. The round robin does not look at their agents.
local closed = {}
local is_fleet_closed = reached_until('fleet')

local function is_type_closed(type)
  if closed[type] == nil then closed[type] = is_fleet_closed or reached_until('type:' .. type) or false end
  return closed[type]
end

-- Leaves the types out of a request; returns whether it may get a task.
local function keep_open(request)
  if request.agent then return not is_type_closed(call('HGET', key('agent', request.agent), 'type') or '') end
  local open = {}
  for _, type in ipairs(request.types) do
    if not is_type_closed(type) then open[#open + 1] = type end
  end
  request.types = open
  return #open > 0
end

local replies = {}
for at, request in ipairs(requests) do
  local reply, last = { '' }, nil
  request.offered, request.is_offered = table.concat(request.offers, '+'), {}
  for _, offer in ipairs(request.offers) do request.is_offered[offer] = true end
  local is_closed = request.closed and includes(request.closed, read_type(request.agent))
  for _ = 1, (is_closed or not keep_open(request)) and 0 or request.max do
    if bytes > MAX_BYTES and last then break end
    local task, agent = next_task_for(request)
    if not task then break end
    last = agent
    local record = call('GET', key('task', task))
    bytes = bytes + #(record or '')
    reply[#reply + 1] = record
    reply[#reply + 1] = call('GET', key('state', task))
  end
  local more = last and more_needs(last, request)
  local type = more and call('HGET', key('agent', last), 'type')
  if type then reply[1] = type .. ' ' .. more end
  if request.agent and #reply == 1 and call('EXISTS', key('agent', request.agent)) == 0 then reply[1] = -1 end
  replies[at] = reply
end
return replies
