--[[
Notes that a replica lives, by the clock of Redis, forgets those that do not, and gives the rest. Forgotten are also those that were seen more
than a minute from now: the clock was set back, or another Redis of an earlier clock has taken over.
KEYS[1] ZSET of replicas by when they were seen   ARGV[1] the replica, or ''   ARGV[2] milliseconds after which one counts as gone
Returns the names of the replicas that live.
]]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[1] ~= '' then redis.call('ZADD', KEYS[1], now, ARGV[1]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], now + 60000, '+inf')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZRANGE', KEYS[1], 0, -1)
