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
  add_counts(all, 'type ' .. type, spent.counts)
  for _, hash in ipairs({ all, own }) do
    add_counts(hash, 'total', spent.counts)
    add_counts(hash, 'model ' .. counted_model(hash, spent.model), spent.counts)
  end
  local sums = call('HMGET', own, 'micros total', 'input total', 'output total')
  -- Tokens are a fraction of the millionth of a dollar.
  local score = (tonumber(sums[1]) or 0) + ((tonumber(sums[2]) or 0) + (tonumber(sums[3]) or 0)) / 1e15
  call('ZADD', KEYS[1] .. 'spend:agents', string.format('%.17g', score), agent)
end

-- Deletes the counters of an agent. Those of the fleet keep what it has used.
local function delete_spent(agent)
  call('ZREM', KEYS[1] .. 'spend:agents', agent)
  call('UNLINK', key('spend:agent', agent))
end
