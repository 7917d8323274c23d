-- Reads the first ids of the union of some indexes, no two of which have an id in common. All scores are 0.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {indexes: [], all: [first, last]: bounds of the ids for ZRANGE BYLEX, rest: [first, last]: those of
--         the ids after the cursor, count, reverse?: whether the order is descending}
-- Returns {number of ids in `all`, and in `rest`, id, …}: in no order, the first `count` ids of `rest` and some more.
--- @flags no-writes
--- @include "keys"
local args = cjson.decode(ARGV[1])
local count, is_reverse = args.count, args.reverse
local total, left, lists = 0, 0, {}

-- Reads the next ids of an index. It is open while it may have more.
local function read(list, number)
  local first, last = args.rest[1], args.rest[2]
  local found
  if is_reverse then
    if #list > 0 then last = '(' .. list[#list] end
    found = call('ZRANGE', list.index, last, first, 'BYLEX', 'REV', 'LIMIT', 0, number)
  else
    if #list > 0 then first = '(' .. list[#list] end
    found = call('ZRANGE', list.index, first, last, 'BYLEX', 'LIMIT', 0, number)
  end
  for _, id in ipairs(found) do list[#list + 1] = id end
  list.is_open = #found == number
end

local function comes_before(one, other)
  if is_reverse then return one > other end
  return one < other
end

-- Returns the open index whose last id comes first: what comes after that may be incomplete.
local function find_frontier()
  local frontier
  for _, list in ipairs(lists) do
    if list.is_open and (not frontier or comes_before(list[#list], frontier[#frontier])) then frontier = list end
  end
  return frontier
end

-- Returns how many of the ids come before this one, or are it.
local function count_through(id)
  local sum = 0
  for _, list in ipairs(lists) do
    local low, high = 0, #list
    while low < high do
      local middle = math.ceil((low + high) / 2)
      if comes_before(id, list[middle]) then high = middle - 1 else low = middle end
    end
    sum = sum + low
  end
  return sum
end

-- Twice an even share, so that a second read of an index is rare.
local chunk = math.min(count, math.ceil(2 * count / #args.indexes) + 8)
for at, index in ipairs(args.indexes) do
  total = total + call('ZLEXCOUNT', index, args.all[1], args.all[2])
  left = left + call('ZLEXCOUNT', index, args.rest[1], args.rest[2])
  lists[at] = { index = index }
  if count > 0 then read(lists[at], chunk) end
end
local frontier = find_frontier()
while frontier do
  local missing = count - count_through(frontier[#frontier])
  if missing <= 0 then break end
  read(frontier, math.max(missing, chunk))
  frontier = find_frontier()
end

local reply = { total, left }
for _, list in ipairs(lists) do
  for _, id in ipairs(list) do reply[#reply + 1] = id end
end
return reply
