-- Reads a page of an index as if it had no entries of other zsets that are parts of it. All scores are 0. Finds each
-- next visible entry in O(log² n), so that many hidden entries before it cost little.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {index, hidden: [], skip, limit}
-- Returns {number of visible entries, id, …}; fewer ids than `limit` also when many hidden ones are among them.
--- @include "keys"
-- Runs of visible entries to find, and ids to read in each.
local RUNS, STEP = 5, 400
local args = cjson.decode(ARGV[1])
local index = args.index
local hidden = 0
for _, part in ipairs(args.hidden) do hidden = hidden + call('ZCARD', part) end
local total = math.max(0, call('ZCARD', index) - hidden)
local reply = { total }

-- Returns the number of visible entries before a rank.
local function count_visible(rank)
  local id = call('ZRANGE', index, rank, rank)[1]
  if not id then return math.huge end
  for _, part in ipairs(args.hidden) do rank = rank - call('ZLEXCOUNT', part, '-', '(' .. id) end
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

local left = math.min(args.limit, total - args.skip)
for _ = 1, RUNS do
  if left <= 0 then break end
  local rank = find_rank(args.skip + #reply - 1)
  local found = call('ZRANGE', index, rank, rank + math.max(left, STEP) - 1)
  if #found == 0 then break end
  local is_hidden = {}
  for _, part in ipairs(args.hidden) do
    for at, score in ipairs(call('ZMSCORE', part, unpack(found))) do is_hidden[at] = is_hidden[at] or score end
  end
  for at, id in ipairs(found) do
    if left > 0 and not is_hidden[at] then
      reply[#reply + 1] = id
      left = left - 1
    end
  end
end
return reply
