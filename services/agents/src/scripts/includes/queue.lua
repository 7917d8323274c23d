--- @include "keys"

-- A task's score in its agent's queue: by priority, then by order of arrival. Exact up to 1e14 arrivals.
local PRIORITY = 1e14

-- An agent with tasks joins the round robin at its end, unless it is paused.
local function make_ready(agent, type)
  if not is_paused(agent) then call('ZADD', key('ready', type), call('INCR', KEYS[1] .. 'turns'), agent) end
end

-- Queues a task behind the others of its priority.
local function enqueue(agent, type, task, priority)
  local queue = key('queue', agent)
  local arrival = call('HINCRBY', key('agent', agent), 'arrivals', 1)
  call('ZADD', queue, priority * PRIORITY + arrival, task)
  if call('ZCARD', queue) == 1 then make_ready(agent, type) end
end

-- An agent without work leaves the round robin.
local function dequeue(agent, type, task)
  local queue = key('queue', agent)
  if call('ZREM', queue, task) == 1 and call('EXISTS', queue) == 0 then call('ZREM', key('ready', type), agent) end
end

-- Wakes workers that wait: `count` tasks of the agent have become ready; not if it is paused. The stream keeps at least
-- as many wakeups as events/stream-reader.ts reads at once: so the reader sees that some were trimmed.
local function notify(agent, type, count)
  if is_paused(agent) then return end
  call('XADD', KEYS[1] .. 'wake', 'MAXLEN', '~', 1000, '*', 'a', agent, 'y', type, 'n', count)
end
