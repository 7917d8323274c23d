-- Replaces an agent's name and type; id, status and creation stay.
-- KEYS[1] the agent's record, KEYS[2] its version
-- ARGV    1 record up to its status, 2… strong entity tags of which one must be current (none: unconditional)
-- Returns {record, version}, 0 when there is no such agent, -1 when no tag is current.
local record = redis.call('GET', KEYS[1])
if not record then return 0 end
if #ARGV > 1 then
  local etag = '"' .. redis.sha1hex(record) .. '"'
  local current = false
  for at = 2, #ARGV do
    if ARGV[at] == etag then current = true end
  end
  if not current then return -1 end
end
-- The record ends with these two; quotes inside of texts are escaped in JSON, so nothing before can look like them.
record = ARGV[1] .. record:match('"status":"[^"]*","created_at":"[^"]*"}$')
redis.call('SET', KEYS[1], record)
return { record, redis.call('INCR', KEYS[2]) }
