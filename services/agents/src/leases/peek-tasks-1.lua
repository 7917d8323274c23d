-- Reads the next tasks for some requests, and moves the turns of their agents. No task is read twice, and none of a
-- paused agent: first those that are reserved for the worker, then agents of the requested types take turns, one task
-- at a time.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON [{agent, or types: [] and perhaps agents: [] (only these), max, worker?}]
--         After 256 KiB of records, which take time to copy, each further request gets one task.
-- Returns for each request {type of the last task's agent if it has more, else '', record, state, record, state, …}, or
--         {-1} when the requested agent does not exist.
--- @include "keys"
local MAX_BYTES = 256 * 1024
-- Reserved tasks that one script looks at: this many take about 1 ms. Others wait until some of these are gone.
local MAX_RESERVED = 500
local requests = cjson.decode(ARGV[1])
local peeked = {}
local bytes = 0

-- Returns the next task of an agent that this call has not returned yet.
local function next_task(agent)
  local rank = peeked[agent] or 0
  local task = call('ZRANGE', key('queue', agent), rank, rank)[1]
  if task then peeked[agent] = rank + 1 end
  return task
end

-- By type, the agent whose last turn is longest ago, and its turn: read once, as there may be many types.
local heads = {}

local function read_head(type)
  local head = call('ZRANGE', key('ready', type), 0, 0, 'WITHSCORES')
  heads[type] = { agent = head[1], turn = tonumber(head[2]) or math.huge }
  return heads[type]
end

-- By agent, its type and turn, for requests that name agents. Without work it has no turn.
local entries = {}

local function read_entry(agent)
  local type = call('HGET', key('agent', agent), 'type')
  local turn = type and call('ZSCORE', key('ready', type), agent)
  entries[agent] = { type = type, turn = tonumber(turn) or math.huge }
  return entries[agent]
end

local function take_turn(agent, type)
  local turn = call('INCR', KEYS[1] .. 'turns')
  call('ZADD', key('ready', type), turn, agent)
  if entries[agent] then entries[agent].turn = turn end
end

-- Round robin: returns the agent of these types whose last turn is longest ago.
local function next_agent_of_types(types)
  local agent, of_type, turn = nil, nil, math.huge
  for _, type in ipairs(types) do
    local head = heads[type] or read_head(type)
    if head.turn < turn then agent, of_type, turn = head.agent, type, head.turn end
  end
  if agent then
    take_turn(agent, of_type)
    read_head(of_type)
  end
  return agent
end

-- The same of these agents, if they are of these types.
local function next_agent_of(agents, types)
  local is_type = {}
  for _, type in ipairs(types) do is_type[type] = true end
  local agent, of_type, turn = nil, nil, math.huge
  for _, other in ipairs(agents) do
    local entry = entries[other] or read_entry(other)
    if entry.turn < turn and is_type[entry.type] then agent, of_type, turn = other, entry.type, entry.turn end
  end
  if agent then
    take_turn(agent, of_type)
    heads[of_type] = nil
  end
  return agent
end

local function next_agent(request)
  if request.agents then return next_agent_of(request.agents, request.types) end
  return next_agent_of_types(request.types)
end

-- Sources whose tasks were all returned.
local exhausted = {}

-- Returns the next task of any agent of a request, and its agent. Passes over agents whose tasks were all returned.
local function next_task_in_turn(request)
  local source = table.concat(request.types, ' ')
  if request.agents then source = source .. ' of ' .. table.concat(request.agents, ' ') end
  if exhausted[source] then return nil end
  local passed = {}
  local agent = next_agent(request)
  while agent and not passed[agent] do
    local task = next_task(agent)
    if task then return task, agent end
    passed[agent] = true
    agent = next_agent(request)
  end
  exhausted[source] = true
end

-- Whether tasks are reserved for any of the workers.
local function has_reserved()
  local names = {}
  for _, request in ipairs(requests) do
    if request.worker then names[#names + 1] = key('reserved', request.worker) end
  end
  return #names > 0 and call('EXISTS', unpack(names)) > 0
end

-- By worker, the tasks that are reserved for it, each with its agent; false in place of those that were returned.
local reserved = {}
local may_look_at = has_reserved() and MAX_RESERVED or 0

local function read_reserved(worker)
  local tasks = {}
  if may_look_at > 0 then tasks = call('ZRANGE', key('reserved', worker), 0, may_look_at - 1) end
  may_look_at = may_look_at - #tasks
  for at, task in ipairs(tasks) do
    -- A record begins with the ids of the task and its agent.
    tasks[at] = { id = task, agent = call('GETRANGE', key('task', task), 57, 92) }
  end
  reserved[worker] = tasks
  return tasks
end

-- By agent, its type; false for a paused one, whose tasks have to wait, and one that was deleted.
local unpaused = {}

local function read_unpaused(agent)
  local fields = call('HMGET', key('agent', agent), 'type', 'paused_at')
  unpaused[agent] = not fields[2] and fields[1]
  return unpaused[agent]
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
  local type = unpaused[agent]
  if type == nil then type = read_unpaused(agent) end
  return type and includes(request.types, type)
end

-- Returns the next task that is reserved for the worker of a request, and its agent.
local function next_reserved_task(request)
  local worker = request.worker
  local tasks = worker and (reserved[worker] or read_reserved(worker)) or {}
  for at = request.from or 1, #tasks do
    local task = tasks[at]
    if task and is_requested(request, task.agent) then
      tasks[at], request.from = false, at + 1
      return task.id, task.agent
    end
  end
  request.from = #tasks + 1
end

-- Returns the next task for a request, and its agent.
local function next_task_for(request)
  local task, agent = next_reserved_task(request)
  if task then return task, agent end
  if request.agent then return next_task(request.agent), request.agent end
  return next_task_in_turn(request)
end

local replies = {}
for at, request in ipairs(requests) do
  local reply, last = { '' }, nil
  -- By type, paused agents have no turn.
  local max = request.agent and is_paused(request.agent) and 0 or request.max
  for _ = 1, max do
    if bytes > MAX_BYTES and last then break end
    local task, agent = next_task_for(request)
    if not task then break end
    last = agent
    local record = call('GET', key('task', task))
    bytes = bytes + #(record or '')
    reply[#reply + 1] = record
    reply[#reply + 1] = call('GET', key('state', task))
  end
  if last and call('ZCARD', key('queue', last)) > (peeked[last] or 0) then
    reply[1] = call('HGET', key('agent', last), 'type') or ''
  end
  if request.agent and #reply == 1 and call('EXISTS', key('agent', request.agent)) == 0 then reply[1] = -1 end
  replies[at] = reply
end
return replies
