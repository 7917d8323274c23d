-- Reads a page of records by rank, in one round trip.
-- KEYS[1] zset of ids
-- ARGV    1 key prefix of a record, 2 key suffix of a record, 3 skip, 4 limit, 5 size in bytes after which the page
--         ends
-- Returns {total, number of ids passed, record, record, …}; ids without a record are skipped.
-- In a cluster only for records that share the hash tag of KEYS[1].
local ids = redis.call('ZRANGE', KEYS[1], ARGV[3], ARGV[3] + ARGV[4] - 1)
local page = { redis.call('ZCARD', KEYS[1]), 0 }
local bytes = 0
-- MGET in small groups, so that a page of large records is not read as a whole before it is cut.
for first = 1, #ids, 100 do
  local keys = {}
  for at = first, math.min(first + 99, #ids) do
    keys[#keys + 1] = ARGV[1] .. ids[at] .. ARGV[2]
  end
  for _, record in ipairs(redis.call('MGET', unpack(keys))) do
    if bytes >= tonumber(ARGV[5]) then return page end
    page[2] = page[2] + 1
    if record then
      page[#page + 1] = record
      bytes = bytes + #record
    end
  end
end
return page
