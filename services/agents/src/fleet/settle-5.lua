-- Ends what is around changes of some agents: rings for work that has come, notes that an agent has none left, closes entries of the outbox.
-- KEYS[1] places of agents, KEYS[2] outbox, KEYS[3] index of agents with work, whose parts by type begin with its name, KEYS[4] rings,
--         KEYS[5] wake
-- ARGV    for each change: agent id, entry of the outbox ('' none), how many of its tasks have become ready, the last ring before the
--         agent was found without work ('' it was not)
-- Returns for each change 1 when its agent has been removed, else 0.
local call = redis.call

local function ring(id, type, ready)
  local time = call('TIME')
  call('ZADD', KEYS[3] .. ':' .. type, 'NX', time[1] * 1000000 + time[2], id)
  -- No other ring is like it, also not of before the agent was found without work: whoever looked before it says so too late.
  call('HSET', KEYS[4], id, call('XADD', KEYS[5], 'MAXLEN', '~', 1000, '*', 'a', id, 'y', type, 'n', ready))
end

local replies = {}
for at = 1, #ARGV, 4 do
  local id, entry, ready, last_wakeup = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  local place = call('HGET', KEYS[1], id)
  local type = place and place:match('^%d+ %S+ (%S+)$')
  if type and ready ~= '0' then
    ring(id, type, ready)
  elseif type and last_wakeup ~= '' and call('HGET', KEYS[4], id) == last_wakeup then
    call('ZREM', KEYS[3] .. ':' .. type, id)
    call('HDEL', KEYS[4], id)
  end
  if entry ~= '' then call('ZREM', KEYS[2], entry) end
  replies[#replies + 1] = place == 'removed' and 1 or 0
end
return replies
