-- Runs commands as one step, if the caller still holds the lock, and renews the lock: a process that was paused past
-- the end of its lock writes nothing any more. All keys are in the slot of the lock.
-- KEYS[1] lock
-- ARGV    1 token of the lock, 2 its lifetime in ms, then for each command: how many words, and its words
-- Returns 1, or 0 when the lock is lost; nothing is written then.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local at = 3
while at <= #ARGV do
  local last = at + tonumber(ARGV[at])
  redis.call(unpack(ARGV, at + 1, last))
  at = last + 1
end
return 1
