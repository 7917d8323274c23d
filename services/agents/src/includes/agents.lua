--- @include "keys"

-- The indexes of an agent by type and status.
local function agent_indexes(type, status)
  local all, of_type = KEYS[1] .. 'agents', KEYS[1] .. 'agents:type:' .. type
  return { all, all .. ':status:' .. status, of_type, of_type .. ':status:' .. status }
end

-- Adds an agent to the indexes of paused agents ('ZADD', by order of ids), or removes it from them ('ZREM').
local function index_paused(command, id, type, status)
  for _, index in ipairs(agent_indexes(type, status)) do
    if command == 'ZADD' then call('ZADD', index .. ':paused', 0, id) else call('ZREM', index .. ':paused', id) end
  end
end

-- The same of all its indexes.
local function index_agent(command, id, type, status)
  for _, index in ipairs(agent_indexes(type, status)) do
    if command == 'ZADD' then call('ZADD', index, 0, id) else call('ZREM', index, id) end
  end
  if is_paused(id) then index_paused(command, id, type, status) end
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

-- The name of a version in the zset of those that are kept, so that it sorts by number. Its score is how many tasks
-- name it.
local function version_name(version) return string.format('%09d', version) end

-- Changes how many tasks name a version, if their agent exists.
local function add_uses(agent, version, change)
  if version then call('ZADD', key('definition-uses', agent), 'XX', 'INCR', change, version_name(version)) end
end
