-- Reads records of tasks.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {ids: [], bytes: once the records have as many, no others are read}
-- Returns {record, …} in this order, nil for a task that does not exist.
--- @flags no-writes
--- @include "keys"
local args = cjson.decode(ARGV[1])
local records, bytes = {}, 0
for at, id in ipairs(args.ids) do
  if bytes >= args.bytes then break end
  local record = call('GET', key('task', id))
  bytes = bytes + #(record or '')
  records[at] = record
end
return records
