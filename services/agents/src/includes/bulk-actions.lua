--- @include "keys"

-- Whether a step of a bulk action may change tasks: nobody has stopped the action, and no other replica has completed
-- the step. bulk: id; cursor: where the step began.
local function is_current_step(bulk)
  local fields = call('HMGET', key('bulk', bulk.id), 'state', 'cursor')
  return fields[1] == 'running' and fields[2] == bulk.cursor
end

local function count_done(bulk) call('HINCRBY', key('bulk', bulk.id), 'done', 1) end

-- Whether a step may retry `bulk.task`: it has not done so before. A repeated step creates nothing twice, even if the
-- new task is deleted meanwhile.
local function begin_retry(bulk)
  if not is_current_step(bulk) then return false end
  if call('SADD', key('bulk', bulk.id) .. ':step', bulk.task) == 0 then return false end
  count_done(bulk)
  return true
end

-- Ends a bulk action, which is kept for a week.
local function end_bulk_action(id, state, at)
  call('HSET', key('bulk', id), 'state', state, 'ended_at', at)
  call('EXPIRE', key('bulk', id), 604800)
  call('SREM', KEYS[1] .. 'bulks', id)
end
