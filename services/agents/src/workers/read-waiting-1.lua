-- Reads what a task may wait for.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {agent, task}, 2… the sets of needs that a task can have
-- Returns {'found', record, since when the agent is paused, how many tasks are before it in its queue, when its agent
--         or the type of that was last polled in ms, state}, each of the three before the state nil when there is none;
--         {'agent missing'}; or {'missing'}, also when the task is of another agent.
--- @flags no-writes
--- @include "keys"
local args = cjson.decode(ARGV[1])
local agent, task = args.agent, args.task
local fields = call('HMGET', key('agent', agent), 'type', 'paused_at')
local type, paused_at = fields[1], fields[2]
if not type then return { 'agent missing' } end
local record = call('GET', key('task', task))
-- A record begins with the ids of the task and its agent.
if not record or record:sub(58, 93) ~= agent then return { 'missing' } end

-- By needs, when workers that meet them last asked for tasks of the agent, or of its type.
local function polled_with(needs)
  local suffix, polled = needs == '' and '' or ' ' .. needs, nil
  local scores = { call('ZSCORE', KEYS[1] .. 'polls:types', type .. suffix), call('ZSCORE', KEYS[1] .. 'polls:agents', agent .. suffix) }
  for at = 1, 2 do
    local score = tonumber(scores[at] or nil)
    if score and score > (polled or 0) then polled = score end
  end
  return polled
end

local polled, ahead
for at = 2, #ARGV do
  local rank = call('ZRANK', with_needs('queue', agent, ARGV[at]), task)
  if rank then
    ahead, polled = rank, polled_with(ARGV[at])
    local score = call('ZSCORE', with_needs('queue', agent, ARGV[at]), task)
    for other = 2, #ARGV do
      if other ~= at then ahead = ahead + call('ZCOUNT', with_needs('queue', agent, ARGV[other]), '-inf', '(' .. score) end
    end
  end
end
return { 'found', record, paused_at, ahead or false, polled or false, call('GET', key('state', task)) }
