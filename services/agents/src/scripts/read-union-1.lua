-- Reads a page of the union of zsets that have no entries in common, by order of the ids, as if it had no entries of
-- other zsets, which are parts of these. All scores are 0.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {indexes: [], hidden?: [], from?, to?: only ids from `from` to before `to`, skip, limit,
--         reverse?: whether the page is counted from the end}
--         As each takes time, only the first 10 of `hidden` that have entries are left out.
-- Returns {number of visible entries, how many of the ids come before the page, id, …}, the ids in any order. They
--         include the page; those of a page with `hidden` may end before it, when many hidden ones are in it.
--- @flags no-writes
--- @include "keys"
-- Parts that are left out, entries that are read instead of told apart, entries that are read to find visible ones, and
-- zsets of which pivots are taken.
local MAX_PARTS, SLACK, WINDOW, SAMPLES = 10, 256, 500, 24
local args = cjson.decode(ARGV[1])
local indexes, is_reverse = args.indexes, args.reverse

-- Returns how many entries of a zset come before an id.
local function rank_of(zset, id) return call('ZLEXCOUNT', zset, '-', '(' .. id) end

-- Returns the ranks of the first entry of a zset that counts, and of the first one after these.
local function bounds_of(zset)
  local low = args.from and rank_of(zset, args.from) or 0
  local high = args.to and rank_of(zset, args.to) or call('ZCARD', zset)
  return low, math.max(low, high)
end

local function sum(ranks)
  local total = 0
  for _, rank in ipairs(ranks) do total = total + rank end
  return total
end

local lows, highs = {}, {}
for at, index in ipairs(indexes) do lows[at], highs[at] = bounds_of(index) end
-- `base` and `top`: how many visible entries come before those that count, and with them.
local parts, base, top = {}, sum(lows), sum(highs)
for _, part in ipairs(args.hidden or {}) do
  if #parts == MAX_PARTS then break end
  local low, high = bounds_of(part)
  if high > low then
    parts[#parts + 1] = part
    base, top = base - low, top - high
  end
end
local first = math.max(base, is_reverse and top - args.skip - args.limit or base + args.skip)
local last = math.min(top, is_reverse and top - args.skip or base + args.skip + args.limit)
if first >= last then return { top - base, 0 } end

-- Returns a candidate that has about `wanted` of them before it, its zset and its rank in that: of the entries at this
-- share of some zsets the weighted median.
local function choose_pivot(low, high, candidates, wanted)
  local share, step = math.max(wanted / candidates, 0), math.ceil(#indexes / SAMPLES)
  local found, sampled = {}, 0
  while sampled == 0 do
    for at = math.random(step), #indexes, step do
      local size = high[at] - low[at]
      if size > 0 then
        local rank = low[at] + math.min(math.floor(size * share), size - 1)
        found[#found + 1] = { id = call('ZRANGE', indexes[at], rank, rank)[1], zset = at, rank = rank, size = size }
        sampled = sampled + size
      end
    end
  end
  table.sort(found, function(one, other) return one.id < other.id end)
  local left = sampled / 2
  for _, pivot in ipairs(found) do
    left = left - pivot.size
    if left <= 0 then return pivot.id, pivot.zset, pivot.rank end
  end
end

-- Quickselect: returns ranks in each zset, of which the first have at most `count` entries before them that are not in
-- `without`, and the second have more, or are `high`. At most SLACK entries are between them. Also returns how many
-- are before each; the same of `low` and `high` is `before` and `through`. In turn, pivots are somewhat below and above
-- `count`, so that most entries are beyond one of two (as in Floyd and Rivest's SELECT). As entries of `without` may be
-- anywhere, they are in the middle then.
local function narrow(count, without, low, before, high, through)
  local side, is_raw = 0.5, #without == 0
  while true do
    local candidates = sum(high) - sum(low)
    if is_raw and before == count then return low, before, low, before end
    if is_raw and through == count then return high, through, high, through end
    if candidates <= SLACK then return low, before, high, through end
    side = -side
    local wanted = is_raw and count - before + side * math.sqrt(candidates) or candidates / 2
    local id, zset, rank = choose_pivot(low, high, candidates, wanted)
    local ranks = {}
    for at, index in ipairs(indexes) do
      ranks[at] = at == zset and rank or low[at]
      if at ~= zset and low[at] < high[at] then
        ranks[at] = math.min(math.max(rank_of(index, id), low[at]), high[at])
      end
    end
    local number = sum(ranks)
    for _, part in ipairs(without) do number = number - rank_of(part, id) end
    if number <= count then low, before = ranks, number else high, through = ranks, number end
  end
end

-- Returns ranks to read from and to, and how many visible entries between them come before the page.
local function find_page()
  local low, before, high, through, _
  if is_reverse then
    -- Of visible ones the last of the page, so that the part before `high` has it.
    local count = #parts > 0 and last - 1 or last
    _, _, high, through = narrow(count, parts, lows, base, highs, top)
    local size = #parts > 0 and WINDOW or through - first
    local floors = {}
    for at, rank in ipairs(high) do floors[at] = math.max(lows[at], rank - size) end
    low = narrow(math.max(sum(lows), sum(high) - size), {}, floors, sum(floors), high, sum(high))
    return low, high, through - last
  end
  low, before = narrow(first, parts, lows, base, highs, top)
  local size = #parts > 0 and WINDOW or last - before
  local ceilings = {}
  for at, rank in ipairs(low) do ceilings[at] = math.min(highs[at], rank + size) end
  _, _, high = narrow(math.min(sum(highs), sum(low) + size), {}, low, sum(low), ceilings, sum(ceilings))
  return low, high, first - before
end

local low, high, preceding = find_page()
local ids = {}
for at, index in ipairs(indexes) do
  if low[at] < high[at] then
    for _, id in ipairs(call('ZRANGE', index, low[at], high[at] - 1)) do ids[#ids + 1] = id end
  end
end

local is_hidden, from, to = {}, 1, #ids
if #parts > 0 then
  -- Beyond WINDOW, only some indexes were read.
  table.sort(ids)
  if is_reverse then from = math.max(1, #ids - WINDOW + 1) else to = math.min(#ids, WINDOW) end
end
for _, part in ipairs(parts) do
  for _, id in ipairs(call('ZRANGE', part, '[' .. ids[from], '[' .. ids[to], 'BYLEX')) do is_hidden[id] = true end
end
local reply = { top - base, preceding }
for at = from, to do
  if not is_hidden[ids[at]] then reply[#reply + 1] = ids[at] end
end
return reply
