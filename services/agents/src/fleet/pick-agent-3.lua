-- Round robin: picks the agent of some types that has work and was picked longest ago, moves it to the end of the
-- queue, and opens an outbox entry for what follows.
-- KEYS[1] prefix of the indexes of agents with work by type, KEYS[2] last wakeups, KEYS[3] outbox
-- ARGV    1 now in ms, 2 outbox entry without the agent id, 3… types
-- Returns {agent id, its last wakeup or ''}, or nil when no agent has work.
local first, index, turn = nil, nil, nil
for at = 3, #ARGV do
  local key = KEYS[1] .. ':' .. ARGV[at]
  local head = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  if head[1] and (not turn or tonumber(head[2]) < turn) then
    first, index, turn = head[1], key, tonumber(head[2])
  end
end
if not first then return nil end
local time = redis.call('TIME')
redis.call('ZADD', index, time[1] * 1000000 + time[2], first)
redis.call('ZADD', KEYS[3], ARGV[1], first .. ' ' .. ARGV[2])
return { first, redis.call('HGET', KEYS[2], first) or '' }
