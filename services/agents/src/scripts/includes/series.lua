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
