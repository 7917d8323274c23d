-- Reads a page of the union of zsets that have no entries in common. All scores are 0.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {indexes: [], skip, limit}
-- Returns {number of entries, id, …}, the ids of the page in any order.
--- @include "keys"
local args = cjson.decode(ARGV[1])
local indexes, skip = args.indexes, args.skip

local zeros, sizes, total = {}, {}, 0
for at, index in ipairs(indexes) do
  zeros[at], sizes[at] = 0, call('ZCARD', index)
  total = total + sizes[at]
end
if skip >= total then return { total } end

-- Returns how many candidates there are: for each zset those from `low` to before `high`; and the sum of `low`.
local function count_candidates(low, high)
  local candidates, before = 0, 0
  for at = 1, #indexes do
    candidates = candidates + high[at] - low[at]
    before = before + low[at]
  end
  return candidates, before
end

-- Returns a candidate, its zset and its rank in that: in a random zset, at the share of the candidates that is wanted,
-- in turn somewhat less and more, so that most of them are beyond one of two (as in Floyd and Rivest's SELECT).
local function choose_pivot(low, high, candidates, wanted, side)
  local left, zset = math.random(candidates), 1
  while left > high[zset] - low[zset] do
    left = left - (high[zset] - low[zset])
    zset = zset + 1
  end
  local size = high[zset] - low[zset]
  local offset = math.floor(size * wanted / candidates + side * math.sqrt(size))
  return zset, low[zset] + math.min(math.max(offset, 0), size - 1)
end

-- Quickselect: returns how many of the first `count` entries of the union each zset has. `low` and `high` are bounds.
local function split(count, low, high)
  local side = 0.5
  while true do
    local candidates, before = count_candidates(low, high)
    if before == count then return low end
    if before + candidates == count then return high end
    side = -side
    local zset, rank = choose_pivot(low, high, candidates, count - before, side)
    local id = call('ZRANGE', indexes[zset], rank, rank)[1]
    local ranks, sum = {}, 0
    for at, index in ipairs(indexes) do
      ranks[at] = low[at]
      if at == zset then
        ranks[at] = rank
      elseif low[at] < high[at] then
        ranks[at] = math.min(math.max(call('ZLEXCOUNT', index, '-', '(' .. id), low[at]), high[at])
      end
      sum = sum + ranks[at]
    end
    if sum < count then
      low = ranks
      low[zset] = rank + 1
    else
      high = ranks
    end
  end
end

local first = split(skip, zeros, sizes)
local bounds = {}
for at, size in ipairs(sizes) do bounds[at] = math.min(size, first[at] + args.limit) end
local last = split(math.min(skip + args.limit, total), first, bounds)
local ids = {}
for at, index in ipairs(indexes) do
  if first[at] < last[at] then
    for _, id in ipairs(call('ZRANGE', index, first[at], last[at] - 1)) do ids[#ids + 1] = id end
  end
end
return { total, unpack(ids) }
