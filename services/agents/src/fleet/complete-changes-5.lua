-- Completes changes of some agents: announces new work, notes that an agent has none left, deletes outbox entries.
-- KEYS[1] index entries of agents, KEYS[2] outbox, KEYS[3] prefix of the indexes of agents with work by type, KEYS[4]
--         last wakeups, KEYS[5] wakeups
-- ARGV    for each change: agent id, outbox entry ('' none), how many of its tasks have become ready, the last wakeup
--         as read before the agent was found without work ('' it was not)
-- Returns for each change 1 when its agent has been deleted, else 0.
local call = redis.call

local function announce_work(id, type, ready)
  local time = call('TIME')
  call('ZADD', KEYS[3] .. ':' .. type, 'NX', time[1] * 1000000 + time[2], id)
  -- Stream ids are never reused: a replica that looked before this wakeup cannot declare the agent idle after it.
  -- Fields: a agent id, y its type, n how many tasks have become ready.
  call('HSET', KEYS[4], id, call('XADD', KEYS[5], 'MAXLEN', '~', 1000, '*', 'a', id, 'y', type, 'n', ready))
end

local replies = {}
for at = 1, #ARGV, 4 do
  local id, outbox_entry, ready, last_wakeup = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  local entry = call('HGET', KEYS[1], id)
  local type = entry and entry:match('^%d+ %S+ (%S+)$')
  if type and ready ~= '0' then
    announce_work(id, type, ready)
  elseif type and last_wakeup ~= '' and call('HGET', KEYS[4], id) == last_wakeup then
    call('ZREM', KEYS[3] .. ':' .. type, id)
    call('HDEL', KEYS[4], id)
  end
  if outbox_entry ~= '' then call('ZREM', KEYS[2], outbox_entry) end
  replies[#replies + 1] = entry == 'removed' and 1 or 0
end
return replies
