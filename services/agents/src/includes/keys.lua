-- KEYS[1] is the prefix of every key of the fleet, with its hash tag. redis/keys.ts names the same keys.
local call = redis.call
local function key(name, id) return KEYS[1] .. name .. ':' .. id end

-- A queue of tasks with these needs of a worker ('' none): tasks/rules/conversation.ts.
local function with_needs(name, id, needs) return key(name, id) .. (needs == '' and '' or ':' .. needs) end

-- No task of a paused agent is leased.
local function is_paused(agent) return call('HEXISTS', key('agent', agent), 'paused_at') == 1 end

local function now_ms()
  local time = call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
