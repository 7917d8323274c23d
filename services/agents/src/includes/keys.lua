-- KEYS[1] is the prefix of every key of the fleet, with its hash tag. redis/keys.ts names the same keys.
local call = redis.call
local function key(name, id) return KEYS[1] .. name .. ':' .. id end

-- A queue of tasks with these needs of a worker ('' none): tasks/rules/needs.ts.
local function with_needs(name, id, needs) return key(name, id) .. (needs == '' and '' or ':' .. needs) end

-- Beside the queues of an agent, a worker or a type, a set of the needs of which there are some.
local function register_needs(name, id, needs)
  if needs ~= '' then call('SADD', key(name .. '-needs', id), needs) end
end

-- When the queue of these needs may be empty.
local function unregister_needs(name, id, needs)
  if needs ~= '' and call('EXISTS', with_needs(name, id, needs)) == 0 then
    call('SREM', key(name .. '-needs', id), needs)
  end
end

-- The needs of which there may be queues, '' (none) among them.
local function needs_of(name, id)
  local needs = call('SMEMBERS', key(name .. '-needs', id))
  needs[#needs + 1] = ''
  return needs
end

-- No task of a paused agent is leased.
local function is_paused(agent) return call('HEXISTS', key('agent', agent), 'paused_at') == 1 end

-- Until when, in ms, nothing of a scope is leased as its budget is used up, '' for ever; false while some is left.
local function reached_until(scope) return call('HGET', KEYS[1] .. 'budgets-reached', scope) end

-- How many more tasks of an agent may be leased now: none while it is paused or its budget is used up, else as its
-- `max_concurrency` says.
local function free_slots(agent)
  local fields = call('HMGET', key('agent', agent), 'paused_at', 'max_concurrency')
  if fields[1] or reached_until('agent:' .. agent) then return 0 end
  if not fields[2] then return math.huge end
  return math.max(fields[2] - call('SCARD', key('leased', agent)), 0)
end

local function now_ms()
  local time = call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
