--- @include "keys"

-- `dependents:<task>` has the tasks that name a task in `after`; `waiters:<task>` has those of them that wait for it;
-- `handovers` has the tasks whose waiters still have to hear how they ended.
local OPEN, ENDS = { 'pending', 'running', 'input_required' }, { 'completed', 'failed', 'cancelled' }

local function status_among(statuses, task)
  for _, status in ipairs(statuses) do
    if call('ZSCORE', KEYS[1] .. 'tasks:status:' .. status, task) then return status end
  end
end

-- Returns how many tasks have waiters that are to hear of their end: 0 or 1.
local function hand_over(task, status)
  if call('EXISTS', key('waiters', task)) == 0 then return 0 end
  call('HSETNX', KEYS[1] .. 'handovers', task, status)
  return 1
end

-- after: the tasks that a task names; waits: those that it waits for. One of these may have ended meanwhile. Returns
-- the same as above.
local function add_edges(task, after, waits)
  local handed = 0
  for _, id in ipairs(after) do
    if call('EXISTS', key('task', id)) == 1 then call('SADD', key('dependents', id), task) end
  end
  for _, id in ipairs(waits) do
    call('SADD', key('waiters', id), task)
    if not status_among(OPEN, id) then handed = handed + hand_over(id, status_among(ENDS, id) or 'deleted') end
  end
  return handed
end

local function drop_edges(task, after, waits)
  for _, id in ipairs(after) do call('SREM', key('dependents', id), task) end
  for _, id in ipairs(waits) do call('SREM', key('waiters', id), task) end
end

-- Tasks that may wait for one, directly or not, when it is to wait for others.
local MAX_WAITERS = 500

-- Whether a task would wait for itself, or too many tasks wait for it to know.
local function makes_cycle(task, waits)
  local is_new, seen, open, count = {}, {}, { task }, 0
  for _, id in ipairs(waits) do is_new[id] = true end
  if #waits == 0 then return false end
  while #open > 0 do
    local one = table.remove(open)
    if is_new[one] then return true end
    local waiters = key('waiters', one)
    count = count + call('SCARD', waiters)
    if count > MAX_WAITERS then return true end
    for _, other in ipairs(call('SMEMBERS', waiters)) do
      if not seen[other] then seen[other], open[#open + 1] = true, other end
    end
  end
  return false
end
