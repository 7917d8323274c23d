--- @include "keys"

-- Adds an agent to its indexes ('ZADD', by order of ids), or removes it from them ('ZREM').
local function index_agent(command, id, type, status)
  for _, index in ipairs({ KEYS[1] .. 'agents', KEYS[1] .. 'agents:type:' .. type }) do
    for _, name in ipairs({ index, index .. ':status:' .. status }) do
      if command == 'ZADD' then call('ZADD', name, 0, id) else call('ZREM', name, id) end
    end
  end
end

-- Returns the served JSON of an agent, whose status is stored apart; nil when the agent does not exist.
local function read_agent(id)
  local parts = call('HMGET', key('agent', id), 'head', 'status', 'tail')
  return parts[1] and table.concat(parts) or nil
end

-- Whether a record fits an If-Match: a list of strong entity tags, empty when there is no condition.
local function is_match(record, etags)
  if #etags == 0 then return true end
  local current = '"' .. redis.sha1hex(record) .. '"'
  for _, etag in ipairs(etags) do
    if etag == current then return true end
  end
  return false
end
