-- Appends entries of the outbox to the audit trail, if no replica has done so since the caller has read them.
-- KEYS[1] audit trail, 2 id of the last entry that was moved
-- ARGV    1 this id, as it was before they were read ('' none), 2 id of the last of them, 3 how many entries the trail
--         has at most, 4… the entries
-- Returns the id of the last entry that was moved.
local moved = redis.call('GET', KEYS[2]) or ''
if moved ~= ARGV[1] then return moved end
for at = 4, #ARGV do redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[3], '*', 'e', ARGV[at]) end
redis.call('SET', KEYS[2], ARGV[2])
return ARGV[2]
