--- @include "keys"

-- Whether nobody has created the tasks of this step. batch: id; left: steps that are left with it.
local function is_next_step(batch) return call('LLEN', key('batch', batch.id)) == batch.left end

local function end_step(batch)
  call('LPOP', key('batch', batch.id))
  if batch.left == 1 then call('SREM', KEYS[1] .. 'batches', batch.id) end
end
