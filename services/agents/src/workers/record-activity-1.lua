-- Records what a replica has seen of workers.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {workers: [{id, first, seen, polled?, types: [], agents: [], accepts?: [], labels?: [], pauses?:
--         JSON, client?, completed,
--         failed}], types: [[type, offers of the worker, when it was polled]], agents: [{id, offers, at: when it was
--          polled, types?:
--         only if it is of one of these}]}, all times in ms
-- Returns {}.
--- @include "keys"
-- How long a worker is kept, and how many of them, of their agents and of the offers with which an agent or a type was
-- polled.
local KEPT_MS, MAX_WORKERS, MAX_AGENTS, MAX_POLLS = 3600000, 10000, 100, 1000
-- Workers that one script removes at most: more than it adds.
local STEP = 60
local args = cjson.decode(ARGV[1])
local workers, now = KEYS[1] .. 'workers', now_ms()

-- Encodes an id as encodePart of contract/ids.ts does.
local function worker_key(id)
  return key('worker', (id:gsub("[^%w%-_%.!~%*'%(%)]", function(char) return string.format('%%%02X', char:byte()) end)))
end

-- Keeps the agents that were polled last.
local function trim_agents(name)
  local fields, agents = call('HGETALL', name), {}
  for at = 1, #fields, 2 do
    if fields[at]:sub(1, 6) == 'agent ' then agents[#agents + 1] = { field = fields[at], at = tonumber(fields[at + 1]) } end
  end
  table.sort(agents, function(one, other) return one.at > other.at end)
  for at = MAX_AGENTS + 1, #agents do call('HDEL', name, agents[at].field) end
end

local function record(worker)
  local name = worker_key(worker.id)
  local fields = { 'client', worker.client ~= cjson.null and worker.client or '' }
  local function add(field, value)
    fields[#fields + 1] = field
    fields[#fields + 1] = value
  end
  -- Another replica may have written a later request.
  if worker.polled and worker.polled >= tonumber(call('HGET', name, 'polled') or 0) then
    add('polled', worker.polled)
    add('accepts', table.concat(worker.accepts, ' '))
    add('labels', table.concat(worker.labels, ' '))
    add('pauses', worker.pauses)
  end
  for _, type in ipairs(worker.types) do add('type ' .. type, worker.polled) end
  for _, agent in ipairs(worker.agents) do add('agent ' .. agent, worker.polled) end
  call('HSETNX', name, 'first', worker.first)
  call('HSET', name, unpack(fields))
  if #worker.agents > 0 and call('HLEN', name) > 2 * MAX_AGENTS then trim_agents(name) end
  if worker.completed > 0 then call('HINCRBY', name, 'completed', worker.completed) end
  if worker.failed > 0 then call('HINCRBY', name, 'failed', worker.failed) end
  call('PEXPIRE', name, KEPT_MS)
  call('ZADD', workers, 'GT', worker.seen, worker.id)
end

local function forget(ids)
  for _, id in ipairs(ids) do
    call('ZREM', workers, id)
    call('UNLINK', worker_key(id))
  end
end

for _, worker in ipairs(args.workers) do record(worker) end
forget(call('ZRANGE', workers, '-inf', now - KEPT_MS, 'BYSCORE', 'LIMIT', 0, STEP))
local excess = call('ZCARD', workers) - MAX_WORKERS
if excess > 0 then forget(call('ZRANGE', workers, 0, math.min(excess, STEP) - 1)) end

local function record_poll(name, offers, at)
  call('ZADD', name, 'GT', at, offers)
  call('ZREMRANGEBYRANK', name, 0, -MAX_POLLS - 1)
  call('PEXPIRE', name, KEPT_MS)
end

for _, polled in ipairs(args.types) do record_poll(key('polls:type', polled[1]), polled[2], polled[3]) end

local function is_of(type, types)
  if not types then return true end
  for _, other in ipairs(types) do
    if other == type then return true end
  end
  return false
end

for _, agent in ipairs(args.agents) do
  local type = call('HGET', key('agent', agent.id), 'type')
  if type and is_of(type, agent.types) then record_poll(key('polls:agent', agent.id), agent.offers, agent.at) end
end
return {}
