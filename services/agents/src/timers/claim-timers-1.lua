-- Claims due timers by moving them to the end of the claim: if the claimant crashes, another replica claims them then.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {claim: its duration in ms, max: how many; fewer when their records have more than 256 KiB}
-- Returns {now in ms, when the next timer is due in ms ('' none), record, state, …}.
--- @include "keys"
local args = cjson.decode(ARGV[1])
local timers, now = KEYS[1] .. 'timers', now_ms()
local reply, bytes, MAX_BYTES = { now, '' }, 0, 256 * 1024
for _, task in ipairs(call('ZRANGE', timers, '-inf', now, 'BYSCORE', 'LIMIT', 0, args.max)) do
  if bytes > MAX_BYTES then break end
  call('ZADD', timers, now + args.claim, task)
  local record = call('GET', key('task', task))
  bytes = bytes + #(record or '')
  reply[#reply + 1] = record
  reply[#reply + 1] = call('GET', key('state', task))
end
reply[2] = call('ZRANGE', timers, 0, 0, 'WITHSCORES')[2] or ''
return reply
