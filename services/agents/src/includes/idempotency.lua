--- @include "keys"

-- Returns what is stored under an Idempotency-Key, or nil when it is what the caller expects ('' nothing).
-- kept: digest (of the key), expected; absent without an Idempotency-Key.
local function found_reply(kept)
  if not kept then return nil end
  local found = call('GET', key('idempotency', kept.digest)) or ''
  return found ~= kept.expected and found or nil
end

-- Stores a reply, or how far a batch is, for 24 hours.
local function keep_reply(kept, value)
  if kept then call('SET', key('idempotency', kept.digest), value, 'EX', 86400) end
end
