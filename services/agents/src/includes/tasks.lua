--- @include "keys"

-- The type that a task was created with. type: of its agent; was: the types that this had before, separated by blanks.
local function type_of(task, type, was)
  for earlier in (was or ''):gmatch('%S+') do
    if call('ZSCORE', key('tasks:type', earlier), task) then return earlier end
  end
  return type
end

-- The indexes of a task: of all tasks, of its agent and of its type, each with and without each tag, without their
-- filters by status.
local function task_indexes(agent, type, tags)
  local indexes = { KEYS[1] .. 'tasks', key('tasks:agent', agent), key('tasks:type', type) }
  for at = 1, #indexes do
    for _, tag in ipairs(tags) do indexes[#indexes + 1] = indexes[at] .. ':tag:' .. tag end
  end
  return indexes
end

-- The index of a worker's tasks; none without a worker.
local function worker_indexes(worker) return { worker and key('tasks:worker', worker) } end

local function index_task(indexes, task, status)
  for _, index in ipairs(indexes) do
    call('ZADD', index, 0, task)
    call('ZADD', index .. ':status:' .. status, 0, task)
  end
end

local function unindex_task(indexes, task, status)
  for _, index in ipairs(indexes) do
    call('ZREM', index, task)
    call('ZREM', index .. ':status:' .. status, task)
  end
end

-- Changes the status of a task whose other fields stay.
local function move_task(indexes, task, before, after)
  for _, index in ipairs(indexes) do
    call('ZREM', index .. ':status:' .. before, task)
    call('ZADD', index .. ':status:' .. after, 0, task)
  end
end

-- Tasks that a record names as those that continue its task.
local MAX_CONTINUATIONS = 100

-- Changes `continued_by` of an ended task: it is the last field of its record, unless that is older. The new version of
-- the state fails other changes by compare-and-set. change: returns the new list, or nil.
local function change_continuations(agent, ended, change)
  local record, state = call('GET', key('task', ended)), call('GET', key('state', ended))
  if not record or not state or record:sub(58, 93) ~= agent then return end
  local head, list = record:match('^(.*),"continued_by":%[([^%[%]]*)%]}$')
  if not head then head, list = record:sub(1, -2), '' end
  local changed = change(list)
  if not changed then return end
  call('SET', key('task', ended), head .. ',"continued_by":[' .. changed .. ']}')
  call('SET', key('state', ended), (state:gsub('"version":(%d+)', function(n) return '"version":' .. n + 1 end, 1)))
end

-- Adds a task to those that continue an ended one.
local function add_continuation(agent, ended, task)
  change_continuations(agent, ended, function(list)
    if select(2, list:gsub(',', '')) + 1 >= MAX_CONTINUATIONS then return nil end
    return (list == '' and '' or list .. ',') .. '"' .. task .. '"'
  end)
end

local function remove_continuation(agent, ended, task)
  change_continuations(agent, ended, function(list)
    local others = {}
    for other in list:gmatch('[^,"]+') do
      if other ~= task then others[#others + 1] = '"' .. other .. '"' end
    end
    return table.concat(others, ',')
  end)
end

-- Deletes the keys of a task; returns whether it existed.
local function delete_task(task)
  local deleted = call('DEL', key('task', task), key('state', task), key('attempts', task))
  call('UNLINK', key('logs', task), key('dependents', task))
  call('ZREM', KEYS[1] .. 'timers', task)
  call('SREM', KEYS[1] .. 'suspended', task)
  return deleted > 0
end

local ENDED = { completed = true, failed = true, cancelled = true }

-- Sets of labels that tasks of a type may have that have not ended, and those of one principal.
local MAX_SETS, MAX_OWN_SETS = 64, 32

-- Counts tasks that have not ended by the set of their labels: `<set>` → how many, `of <set>` → the principal that came
-- with it.
local function add_set(type, set, change, owner)
  if set == '' then return end
  local sets = key('label-sets', type)
  local count = call('HINCRBY', sets, set, change)
  if owner and count == change then call('HSET', sets, 'of ' .. set, owner) end
  if count == 0 then call('HDEL', sets, set, 'of ' .. set) end
end

-- Whether tasks with these sets may be added. sets: a list
local function may_have_sets(type, sets, owner)
  local name, new, added = key('label-sets', type), {}, 0
  for _, set in ipairs(sets) do
    if set ~= '' and not new[set] and call('HEXISTS', name, set) == 0 then new[set], added = true, added + 1 end
  end
  if added == 0 then return true end
  local fields, all, own = call('HGETALL', name), added, added
  for at = 1, #fields, 2 do
    if fields[at]:sub(1, 3) ~= 'of ' then all = all + 1 elseif fields[at + 1] == owner then own = own + 1 end
  end
  return all <= MAX_SETS and (not owner or own <= MAX_OWN_SETS)
end

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
