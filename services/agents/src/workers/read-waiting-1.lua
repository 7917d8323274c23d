-- Reads what a task may wait for.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {agent, task}
-- Returns {'found', record, state, since when the agent is paused, how many tasks are before it in its queue (each nil
--         when there is none), whether as many tasks of the agent are leased as may be, whether it waits in its lane,
--          {offers of a worker, when it last polled the agent or its type in ms, …}, until when its budget is used
--          up in ms, '' for ever, nil if none is}, {'agent
--         missing'}, or {'missing'}, also when the task is of another agent.
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

local queues, score, ahead = {}, nil, nil
for _, needs in ipairs(needs_of('queue', agent)) do
  queues[#queues + 1] = with_needs('queue', agent, needs)
  score = score or call('ZSCORE', queues[#queues], task)
end
if score then
  ahead = 0
  for _, queue in ipairs(queues) do ahead = ahead + call('ZCOUNT', queue, '-inf', '(' .. score) end
end
local reached
for _, scope in ipairs({ 'agent:' .. agent, 'type:' .. type, 'fleet' }) do reached = reached or reached_until(scope) end
local polls = call('ZRANGE', key('polls:agent', agent), 0, -1, 'WITHSCORES')
for _, value in ipairs(call('ZRANGE', key('polls:type', type), 0, -1, 'WITHSCORES')) do polls[#polls + 1] = value end
local is_full = not paused_at and not reached_until('agent:' .. agent) and free_slots(agent) == 0
local in_lane = not score and call('HGET', key('lane-tasks', agent), 'task ' .. task)
local worker, needs = (in_lane or ''):match('%S+ (%S*) (%S*)')
local is_in_lane = in_lane and not (worker ~= '' and call('ZSCORE', with_needs('reserved', worker, needs), task))
return { 'found', record, call('GET', key('state', task)), paused_at, ahead or false, is_full and 1 or 0, is_in_lane and 1 or 0, polls, reached or false }
