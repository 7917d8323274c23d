-- Takes from a rate limit: the generic cell rate algorithm (ITU-T I.371, annex A) with a burst of the whole quota.
-- Grants up to the requested number; a negative number returns requests.
-- KEYS: the limit's theoretical arrival time, in microseconds since the epoch; expires once the whole quota is
-- available
-- ARGV: the quota, its window in microseconds, the requested number
-- Returns: granted, remaining, microseconds until the whole quota is available, microseconds until the next request is
-- allowed (0 when one is allowed now)
local quota, window, requested = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local each = window / quota

local arrival = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
-- The thousandth compensates for the rounding of the stored time.
local free = math.floor(quota - (arrival - now) / each + 0.001)
local granted = math.min(requested, math.max(free, 0))
arrival = math.max(arrival + granted * each, now)

if granted ~= 0 then
  redis.call('SET', KEYS[1], string.format('%.3f', arrival), 'PX', math.ceil((arrival - now) / 1000) + 1)
end
free = math.max(math.floor(quota - (arrival - now) / each + 0.001), 0)
local wait = free > 0 and 0 or math.ceil(arrival - now - window + each)
return { granted, free, math.ceil(arrival - now), math.max(wait, 0) }
