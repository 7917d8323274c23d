-- Deletes an agent's record. The agent does not exist from here on; its tasks and index entries are removed later.
-- KEYS[1] the agent's record, KEYS[2] the number of its last event, KEYS[3] its events
-- ARGV    1 event, 2… strong entity tags, one of which must match (none: unconditional)
-- Returns {number of the event}, 0 when the agent does not exist, -1 when no tag matches.
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
redis.call('DEL', KEYS[1])
local seq = redis.call('INCR', KEYS[2])
-- Fields: e JSON, s status ('' unchanged), y type ('' unchanged).
redis.call('XADD', KEYS[3], seq .. '-0', 'e', ARGV[1], 's', 'deleted', 'y', '')
return { seq }
