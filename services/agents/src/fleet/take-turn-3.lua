-- Picks the agent of some types that has work and was served longest ago, sends it to the back of the line, and opens an entry in the
-- outbox for what is done with it.
-- KEYS[1] index of agents with work, whose parts by type begin with its name, KEYS[2] rings, KEYS[3] outbox
-- ARGV    1 now in ms, 2 entry of the outbox without the agent id, 3… types
-- Returns {agent id, its last ring or ''}, or nil when no agent has work.
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
