-- Removes the entries of the outbox that are in the audit trail, and reads the next ones.
-- KEYS[1] outbox
-- ARGV    1 id of the last entry that was moved to the trail ('' none), 2 how many to read
-- Returns {how many entries the outbox has, id, entry, …}.
local outbox, moved = KEYS[1], ARGV[1]
-- Its entry is in the outbox until it is removed here. When it is not, nothing else was moved: after a failover, new
-- entries may have lower ids than those that were lost.
if moved ~= '' and #redis.call('XRANGE', outbox, moved, moved) > 0 then
  redis.call('XTRIM', outbox, 'MINID', moved)
  redis.call('XDEL', outbox, moved)
end
local reply = { redis.call('XLEN', outbox) }
for _, entry in ipairs(redis.call('XRANGE', outbox, '-', '+', 'COUNT', ARGV[2])) do
  reply[#reply + 1] = entry[1]
  reply[#reply + 1] = entry[2][2]
end
return reply
