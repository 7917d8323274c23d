-- Reads a page of an index as if it had no entries of other zsets that are parts of it. All scores are 0. Finds the
-- first visible entry in O(log² n), so that many hidden entries before it cost little.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {index, hidden: [], skip, limit}
--         As each takes time, only the first 10 of `hidden` that have entries are left out.
-- Returns {number of visible entries, id, …}; fewer ids than `limit` also when many hidden ones are among them.
--- @include "keys"
-- Parts that are left out, and ids that are read to find visible ones.
local MAX_PARTS, WINDOW = 10, 500
local args = cjson.decode(ARGV[1])
local index = args.index

local parts, hidden = {}, 0
for _, part in ipairs(args.hidden) do
  local count = #parts < MAX_PARTS and call('ZCARD', part) or 0
  if count > 0 then parts[#parts + 1] = part end
  hidden = hidden + count
end
local total = call('ZCARD', index) - hidden
if args.skip >= total then return { total } end

-- Returns the number of visible entries before a rank.
local function count_visible(rank)
  local id = call('ZRANGE', index, rank, rank)[1]
  if not id then return math.huge end
  for _, part in ipairs(parts) do rank = rank - call('ZLEXCOUNT', part, '-', '(' .. id) end
  return rank
end

-- Returns the rank of the visible entry that has `before` visible ones before it.
local function find_rank(before)
  local low, high = before, before + hidden
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if count_visible(middle) <= before then low = middle else high = middle - 1 end
  end
  return low
end

local rank = find_rank(args.skip)
local ids = call('ZRANGE', index, rank, rank + WINDOW - 1)
local is_hidden = {}
for _, part in ipairs(parts) do
  for _, id in ipairs(call('ZRANGE', part, '[' .. ids[1], '[' .. ids[#ids], 'BYLEX')) do is_hidden[id] = true end
end
local reply = { total }
for _, id in ipairs(ids) do
  if #reply > args.limit then break end
  if not is_hidden[id] then reply[#reply + 1] = id end
end
return reply
