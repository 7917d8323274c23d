-- Reads what a task may wait for.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {agent, task}
-- Returns {'found', record, since when the agent is paused, how many tasks are before it in the queue, when its agent
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

local polled
for _, score in ipairs({ call('ZSCORE', KEYS[1] .. 'polls:types', type), call('ZSCORE', KEYS[1] .. 'polls:agents', agent) }) do
  if score and tonumber(score) > (polled or 0) then polled = tonumber(score) end
end
return { 'found', record, paused_at, call('ZRANK', key('queue', agent), task), polled or false, call('GET', key('state', task)) }
