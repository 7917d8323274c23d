-- Pending tasks of deleted agents that are passed over in a script, until they are removed.
local MAX_SKIPPED = 100

-- Returns {type, id of its oldest pending task whose agent exists, agent, …}.
local function find_oldest_pending(types)
  local oldest, exists, skipped = {}, {}, 0
  for _, type in ipairs(types) do
    local rank = 0
    repeat
      local task = call('ZRANGE', key('tasks:type', type) .. ':status:pending', rank, rank)[1]
      if not task then break end
      -- A record begins with the ids of its task and agent.
      local agent = call('GETRANGE', key('task', task), 57, 92)
      if exists[agent] == nil then exists[agent] = call('EXISTS', key('agent', agent)) == 1 end
      if exists[agent] then
        for _, value in ipairs({ type, task, agent }) do oldest[#oldest + 1] = value end
        break
      end
      rank, skipped = rank + 1, skipped + 1
    until skipped > MAX_SKIPPED
  end
  return oldest
end
