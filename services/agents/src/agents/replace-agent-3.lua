-- Replaces an agent's name and type; id, status and creation time stay.
-- KEYS[1] the agent's record, KEYS[2] the number of its last event, KEYS[3] its events
-- ARGV    1 record up to its status, 2 event, 3 type, 4… strong entity tags, one of which must match (none:
--         unconditional)
-- Returns {record, number of the event, length of the event stream, type before}, 0 when the agent does not exist, -1
--         when no tag matches.
local record = redis.call('GET', KEYS[1])
if not record then return 0 end
if #ARGV > 3 then
  local etag = '"' .. redis.sha1hex(record) .. '"'
  local current = false
  for at = 4, #ARGV do
    if ARGV[at] == etag then current = true end
  end
  if not current then return -1 end
end
-- The record ends with these three fields. JSON escapes quotes in texts, so nothing before can match.
local type, rest = record:match('"type":"([^"]*)",("status":"[^"]*","created_at":"[^"]*"})$')
record = ARGV[1] .. rest
redis.call('SET', KEYS[1], record)
local seq = redis.call('INCR', KEYS[2])
-- Fields: e JSON, s status ('' unchanged), y type ('' unchanged).
redis.call('XADD', KEYS[3], seq .. '-0', 'e', ARGV[2], 's', '', 'y', ARGV[3])
return { record, seq, redis.call('XLEN', KEYS[3]), type }
