-- Pending tasks of a type that are looked at: the first ones may be of deleted agents, until these are removed.
local MAX_LOOKED_AT = 100

-- Returns {type, id of its oldest pending task whose agent exists, agent, …}.
local function find_oldest_pending(types)
  local oldest, exists = {}, {}
  for _, type in ipairs(types) do
    for rank = 0, MAX_LOOKED_AT - 1 do
      local task = call('ZRANGE', key('tasks:type', type) .. ':status:pending', rank, rank)[1]
      if not task then break end
      -- A record begins with the ids of its task and agent.
      local agent = call('GETRANGE', key('task', task), 57, 92)
      if exists[agent] == nil then exists[agent] = call('EXISTS', key('agent', agent)) == 1 end
      if exists[agent] then
        for _, value in ipairs({ type, task, agent }) do oldest[#oldest + 1] = value end
        break
      end
    end
  end
  return oldest
end
