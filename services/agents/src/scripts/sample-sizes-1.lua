-- Estimates the size of the records of a page.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {index, skip, limit, reverse: whether the page is counted from the end}
-- Returns {size in bytes of each of some records, from all parts of the page}.
--- @flags no-writes
--- @include "keys"
local SAMPLES = 4
local args = cjson.decode(ARGV[1])
local sizes = {}
for at = 0, SAMPLES - 1 do
  local rank = args.skip + math.floor(at * args.limit / SAMPLES)
  local id = (args.reverse and call('ZRANGE', args.index, rank, rank, 'REV') or call('ZRANGE', args.index, rank, rank))[1]
  if not id then break end
  sizes[#sizes + 1] = call('STRLEN', key('task', id))
end
return sizes
