--- @include "keys"

-- Returns nil for the holder of a lease, 'missing' when it never existed or its task was deleted, or 'lost'. cjson
-- refuses lone surrogates, which a name of a worker or a reason may have. lease: {agent, task, lease: its number}
local function find_lease_problem(lease, token)
  if call('EXISTS', key('agent', lease.agent)) == 0 then return 'missing' end
  -- A record begins with the ids of the task and its agent.
  if call('GETRANGE', key('task', lease.task), 57, 92) ~= lease.agent then return 'missing' end
  local text = call('GET', key('state', lease.task))
  local json = text and text:match(' (.+)$')
  local state = json and cjson.decode((json:gsub('\\u[dD][89a-fA-F]%x%x', '\\u0041')))
  if not state or lease.lease > state.leases then return 'missing' end
  local held = state.lease
  -- Not in constant time: through Redis and two services, nobody can measure the microseconds of one comparison.
  local is_held = held ~= cjson.null and held.number == lease.lease and held.token == token
  if not is_held or held.expiresAt <= now_ms() then return 'lost' end
end
