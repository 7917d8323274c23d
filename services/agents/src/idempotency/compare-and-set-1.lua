-- Compare-and-set (CAS) of a key.
-- KEYS[1] key
-- ARGV    1 expected value ('' none), 2 new value ('' none), 3 lifetime in seconds
-- Returns nil on success, else the current value ('' none).
local found = redis.call('GET', KEYS[1])
if (found or '') ~= ARGV[1] then return found or '' end
if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3]) end
return nil
