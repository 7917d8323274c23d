-- A page of records by rank, in one round trip.
-- KEYS[1] zset of ids
-- ARGV    1 key of a record before its id, 2 key of a record after its id, 3 skip, 4 limit, 5 bytes after which the page ends
-- Returns {total, how many ids were passed, record, record, …}; ids whose record is gone are passed over.
-- Not for a cluster unless the records share the hash tag of KEYS[1].
local ids = redis.call('ZRANGE', KEYS[1], ARGV[3], ARGV[3] + ARGV[4] - 1)
local page = { redis.call('ZCARD', KEYS[1]), 0 }
local bytes = 0
-- MGET in small groups: a page of large records must not be read as a whole to be cut.
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
