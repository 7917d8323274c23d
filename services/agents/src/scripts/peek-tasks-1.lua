-- Reads the next tasks for some requests, no task twice. Agents of the requested types take turns, one task at
-- a time.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON [{agent or types: [], max}]
--         After 256 KiB of records, which take time to copy, each further request gets one task.
-- Returns for each request {1 when the agent of the last task has more, else 0, record, state, record, state, …}, or
--         {-1} when the requested agent does not exist.
--- @include "keys"
local MAX_BYTES = 256 * 1024
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

-- Round robin: returns the agent of these types whose last turn is longest ago.
local function next_agent(types)
  local agent, of_type, turn = nil, nil, math.huge
  for _, type in ipairs(types) do
    local head = heads[type] or read_head(type)
    if head.turn < turn then agent, of_type, turn = head.agent, type, head.turn end
  end
  if agent then
    call('ZADD', key('ready', of_type), call('INCR', KEYS[1] .. 'turns'), agent)
    read_head(of_type)
  end
  return agent
end

-- Types whose tasks were all returned.
local exhausted = {}

-- Returns the next task of any agent of these types, and its agent. Passes over agents whose tasks were all returned.
local function next_task_of_types(types)
  local names = table.concat(types, ' ')
  if exhausted[names] then return nil end
  local passed = {}
  local agent = next_agent(types)
  while agent and not passed[agent] do
    local task = next_task(agent)
    if task then return task, agent end
    passed[agent] = true
    agent = next_agent(types)
  end
  exhausted[names] = true
end

local replies = {}
for at, request in ipairs(cjson.decode(ARGV[1])) do
  local reply, last = { 0 }, nil
  for _ = 1, request.max do
    if bytes > MAX_BYTES and last then break end
    local task, agent
    if request.agent then
      task, agent = next_task(request.agent), request.agent
    else
      task, agent = next_task_of_types(request.types)
    end
    if not task then break end
    last = agent
    local record = call('GET', key('task', task))
    bytes = bytes + #(record or '')
    reply[#reply + 1] = record
    reply[#reply + 1] = call('GET', key('state', task))
  end
  if last and call('ZCARD', key('queue', last)) > peeked[last] then reply[1] = 1 end
  if request.agent and #reply == 1 and call('EXISTS', key('agent', request.agent)) == 0 then reply[1] = -1 end
  replies[at] = reply
end
return replies
