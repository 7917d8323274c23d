-- Removes tasks of a deleted agent from the indexes and timers.
-- KEYS[1] index entries of tasks, KEYS[2] index of tasks, also the prefix of the filtered ones, KEYS[3] timers
-- ARGV    1 agent id, 2… task ids
-- Returns 1.
local agent = ARGV[1]
for at = 2, #ARGV do
  local task = ARGV[at]
  local member = task .. ' ' .. agent
  redis.call('ZREM', KEYS[3], agent .. ' ' .. task)
  local entry = redis.call('HGET', KEYS[1], task)
  if entry then
    local status, type, tags = entry:match('^(%S+) (%S+)(.*)$')
    local function remove(index, as)
      redis.call('ZREM', index, as)
      redis.call('ZREM', index .. ':status:' .. status, as)
    end
    remove(KEYS[2], member)
    remove(KEYS[2] .. ':type:' .. type, member)
    for tag in tags:gmatch('%S+') do
      remove(KEYS[2] .. ':tag:' .. tag, member)
      remove(KEYS[2] .. ':type:' .. type .. ':tag:' .. tag, member)
      remove(KEYS[2] .. ':agent:' .. agent .. ':tag:' .. tag, task)
    end
    redis.call('HDEL', KEYS[1], task)
  end
end
return 1
