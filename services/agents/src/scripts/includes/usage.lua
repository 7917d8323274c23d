--- @include "keys"

-- How many agents and pending tasks a principal has created, where there was a quota at that time: in the hash `usage`
-- by `<what> <principal>`.
local function add_usage(what, owner, change)
  if not owner then return end
  local usage, field = KEYS[1] .. 'usage', what .. ' ' .. owner
  if call('HINCRBY', usage, field, change) == 0 then call('HDEL', usage, field) end
end

-- Returns how many more the owner may have. quota: {owner, max}; nil: no limit.
local function free_usage(what, quota)
  if not quota then return math.huge end
  local used = tonumber(call('HGET', KEYS[1] .. 'usage', what .. ' ' .. quota.owner)) or 0
  return math.max(quota.max - used, 0)
end
