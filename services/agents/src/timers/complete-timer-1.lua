-- Sets a claimed timer to its next deadline, unless another change of the task has set it meanwhile.
-- KEYS[1] timers
-- ARGV    1 member, 2 end of the claim, 3 next deadline in ms (0 none)
-- Returns 1, or 0 when the timer has been set meanwhile.
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score or tonumber(score) ~= tonumber(ARGV[2]) then return 0 end
if ARGV[3] == '0' then redis.call('ZREM', KEYS[1], ARGV[1]) else redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1]) end
return 1
