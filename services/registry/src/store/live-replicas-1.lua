--[[
Records that a replica is alive, by the clock of Redis, and removes the others. Also removes those seen more than a
minute in the future: the clock was set back, or a Redis with a slower clock took over.
KEYS[1] ZSET of replicas by the time when they were last seen
ARGV[1] the replica, or ''   ARGV[2] milliseconds after which a replica counts as stopped
Returns the names of the live replicas.
]]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[1] ~= '' then redis.call('ZADD', KEYS[1], now, ARGV[1]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], now + 60000, '+inf')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZRANGE', KEYS[1], 0, -1)
