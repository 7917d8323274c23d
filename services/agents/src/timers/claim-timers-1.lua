-- Claims due timers by moving them to the end of the claim: if the claimant crashes, nothing is lost.
-- KEYS[1] timers
-- ARGV    1 now in ms, 2 end of the claim in ms, unique per claim, 3 how many at most
-- Returns {when the next timer is due in ms or '', member, member, …}.
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for at = 1, #due do redis.call('ZADD', KEYS[1], ARGV[2], due[at]) end
local next = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
table.insert(due, 1, next[2] or '')
return due
