--- @include "keys"

-- Counts for 50 hours: a step of the last 48 hours may begin in the hour before.
local SERIES_SECONDS, SERIES_HOURS = 180000, 50

-- Adds to a counter of the minute of `at` (ms), in the series of the fleet, the type and the agent. What the counters
-- count is in README.md.
local function count(agent, type, at, counter, number)
  local minutes = math.floor(at / 60000)
  local hour, field = math.floor(minutes / 60), minutes % 60 .. ':' .. counter
  for _, scope in ipairs({ '', 'type:' .. type .. ':', 'agent:' .. agent .. ':' }) do
    local series = KEYS[1] .. 'series:' .. scope .. hour
    local total = call('HINCRBY', series, field, number)
    if total == number and call('HLEN', series) == 1 then call('EXPIRE', series, SERIES_SECONDS) end
  end
end

-- Deletes the series of an agent.
local function delete_series(agent, at)
  local hour, series = math.floor(at / 3600000), {}
  for ago = -1, SERIES_HOURS do series[#series + 1] = key('series:agent', agent) .. ':' .. hour - ago end
  call('UNLINK', unpack(series))
end

-- Names of models that are counted apart: workers give them, so there may be any number.
local MAX_MODELS = 98

-- Returns the model under which a hash counts: `other` once it has too many names.
local function counted_model(hash, model)
  if model == 'unknown' or model == 'other' or call('HEXISTS', hash, 'attempts model ' .. model) == 1 then return model end
  if tonumber(call('HGET', hash, 'models') or 0) >= MAX_MODELS then return 'other' end
  call('HINCRBY', hash, 'models', 1)
  return model
end

-- Adds to counters in whole numbers. A sum that would exceed 64 bits stays as it is.
local function add_counts(hash, scope, counts)
  for counter, number in pairs(counts) do redis.pcall('HINCRBY', hash, counter .. ' ' .. scope, number) end
end

-- Counts what an attempt that has ended has used, for the fleet, the type, the model and the agent, and orders agents
-- by their cost, then their tokens. spent: {model, counts}. The fields of the hashes are listed in README.md.
local function count_spent(agent, type, spent)
  local all, own = KEYS[1] .. 'spend', key('spend:agent', agent)
  local model = spent.model == '' and 'unknown' or spent.model
  add_counts(all, 'type ' .. type, spent.counts)
  for _, hash in ipairs({ all, own }) do
    add_counts(hash, 'total', spent.counts)
    add_counts(hash, 'model ' .. counted_model(hash, model), spent.counts)
  end
  local sums = call('HMGET', own, 'micros total', 'input total', 'output total')
  -- Tokens are a fraction of the millionth of a dollar.
  local score = (tonumber(sums[1]) or 0) + ((tonumber(sums[2]) or 0) + (tonumber(sums[3]) or 0)) / 1e15
  call('ZADD', KEYS[1] .. 'spend:agents', string.format('%.17g', score), agent)
end

-- By what attempts are counted over time, of the fleet and of an agent (stats/spend-steps-contract.ts).
local DIMENSIONS = { 'type', 'agent', 'model', 'user', 'key', 'tag' }
local OF_AGENT = { 'type', 'version', 'model', 'user', 'key', 'tag' }
-- Time zones differ by quarters of an hour.
local QUARTER_MS, QUARTERS, BLOCK_DAYS = 900000, 96, 32
local KEPT_DAYS, KEPT_BLOCKS = 92, 37
-- Names of a dimension in a quarter or a day that are counted apart.
local MAX_NAMES = 98
-- The counters of a name are seven doubles in this order: as texts, they take ten times as long.
local COUNTERS = { 'attempts', 'input', 'cached', 'output', 'reasoning', 'micros', 'estimated' }
local PACKED = '<ddddddd'
local NOTHING = struct.pack(PACKED, 0, 0, 0, 0, 0, 0, 0)

local function add_to_packed(packed, c)
  local attempts, input, cached, output, reasoning, micros, estimated = struct.unpack(PACKED, packed)
  return struct.pack(PACKED, attempts + c[1], input + c[2], cached + c[3], output + c[4], reasoning + c[5],
    micros + c[6], estimated + c[7])
end

-- Adds to the packed counters of `<period> <dimension> <name>`: `other` once there are too many names.
local function add_packed(hash, period, dimensions, names, counts, days)
  local fields, of = {}, {}
  for _, dimension in ipairs(dimensions) do
    local scope = period .. ' ' .. dimension
    for _, name in ipairs(names[dimension]) do fields[#fields + 1], of[#of + 1] = scope .. ' ' .. name, scope end
  end
  local found, writes, written, is_new = call('HMGET', hash, unpack(fields)), {}, {}, false
  for at, field in ipairs(fields) do
    local packed = written[field] or found[at]
    if not packed then
      is_new = true
      if field ~= of[at] .. ' ' and call('HINCRBY', hash, of[at], 1) > MAX_NAMES then
        field = of[at] .. ' other'
        packed = written[field] or call('HGET', hash, field)
      end
    end
    packed = add_to_packed(packed or NOTHING, counts)
    writes[2 * at - 1], writes[2 * at], written[field] = field, packed, packed
  end
  call('HSET', hash, unpack(writes))
  if is_new then call('EXPIRE', hash, days * 86400) end
end

-- Counts the same over time, by quarters of an hour and by days of UTC. names: {dimension → names}
local function count_spent_at(agent, type, at, names, counters)
  local counts = {}
  for place, counter in ipairs(COUNTERS) do counts[place] = counters[counter] or 0 end
  local quarter = math.floor(at / QUARTER_MS)
  local day = math.floor(quarter / QUARTERS)
  local quarters, days = ':quarters:' .. day, ':days:' .. math.floor(day / BLOCK_DAYS)
  local all, own = KEYS[1] .. 'spend-by', key('spend-by:agent', agent)
  names.type, names.agent = { type }, { agent }
  -- A hash of all dimensions takes fewer commands: only the longest have one each, for those who read them.
  for _, dimension in ipairs(DIMENSIONS) do
    add_packed(all .. ':' .. dimension .. quarters, quarter % QUARTERS, { dimension }, names, counts, KEPT_DAYS)
  end
  add_packed(all .. days, day, DIMENSIONS, names, counts, KEPT_BLOCKS * BLOCK_DAYS)
  add_packed(own .. quarters, quarter % QUARTERS, OF_AGENT, names, counts, KEPT_DAYS)
  add_packed(own .. days, day, OF_AGENT, names, counts, KEPT_BLOCKS * BLOCK_DAYS)
end

-- Deletes the counters of an agent. Those of the fleet keep what it has used.
local function delete_spent(agent, at)
  call('ZREM', KEYS[1] .. 'spend:agents', agent)
  call('UNLINK', key('spend:agent', agent))
  local day, own, hashes = math.floor(at / QUARTER_MS / QUARTERS), key('spend-by:agent', agent), {}
  for ago = -1, KEPT_DAYS do hashes[#hashes + 1] = own .. ':quarters:' .. day - ago end
  for ago = -1, KEPT_BLOCKS do hashes[#hashes + 1] = own .. ':days:' .. math.floor(day / BLOCK_DAYS) - ago end
  call('UNLINK', unpack(hashes))
end
