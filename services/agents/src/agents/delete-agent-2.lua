-- Deletes an agent's record; from here on the agent is gone, its tasks and its places in the indexes follow.
-- KEYS[1] the agent's record, KEYS[2] its version
-- ARGV    strong entity tags of which one must be current (none: unconditional)
-- Returns 1, 0 when there is no such agent, -1 when no tag is current.
local record = redis.call('GET', KEYS[1])
if not record then return 0 end
if #ARGV > 0 then
  local etag = '"' .. redis.sha1hex(record) .. '"'
  local current = false
  for at = 1, #ARGV do
    if ARGV[at] == etag then current = true end
  end
  if not current then return -1 end
end
redis.call('DEL', KEYS[1])
redis.call('EXPIRE', KEYS[2], 3600)
return 1
