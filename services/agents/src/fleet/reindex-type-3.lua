-- Moves tasks to the current type of their agent in the indexes by type.
-- KEYS[1] index entries of agents, KEYS[2] index entries of tasks, KEYS[3] index of tasks, also the prefix of the
--         filtered ones
-- ARGV    1 agent id, 2… task ids
-- Returns 1, or 0 when the agent is not indexed.
local agent = ARGV[1]
local agent_entry = redis.call('HGET', KEYS[1], agent)
local type = agent_entry and agent_entry:match('^%d+ %S+ (%S+)$')
if not type then return 0 end
for at = 2, #ARGV do
  local task = ARGV[at]
  local member = task .. ' ' .. agent
  local entry = redis.call('HGET', KEYS[2], task)
  local status, was, tags
  if entry then status, was, tags = entry:match('^(%S+) (%S+)(.*)$') end
  if was and was ~= type then
    local function move(suffix)
      redis.call('ZREM', KEYS[3] .. ':type:' .. was .. suffix, member)
      redis.call('ZADD', KEYS[3] .. ':type:' .. type .. suffix, 0, member)
    end
    move('')
    move(':status:' .. status)
    for tag in tags:gmatch('%S+') do
      move(':tag:' .. tag)
      move(':tag:' .. tag .. ':status:' .. status)
    end
    redis.call('HSET', KEYS[2], task, status .. ' ' .. type .. tags)
  end
end
return 1
