-- Moves tasks to their agent's type in the fleet's indexes by type.
-- KEYS[1] places of agents, KEYS[2] places of tasks, KEYS[3] index of tasks
-- ARGV    1 agent id, 2… task ids
local agent = ARGV[1]
local agent_place = redis.call('HGET', KEYS[1], agent)
local type = agent_place and agent_place:match('^%d+ %S+ (%S+)$')
if not type then return 0 end
for at = 2, #ARGV do
  local task = ARGV[at]
  local member = task .. ' ' .. agent
  local place = redis.call('HGET', KEYS[2], task)
  local status, was, tags
  if place then status, was, tags = place:match('^(%S+) (%S+)(.*)$') end
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
