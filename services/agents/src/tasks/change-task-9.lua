-- Changes a task by compare-and-set of its state, with the indexes, status and events of its agent.
-- KEYS[1] the agent's record, KEYS[2] the number of its last event, KEYS[3] its events, KEYS[4] its tasks, KEYS[5] its
--         ended tasks, KEYS[6] the task's record, KEYS[7] its state, KEYS[8] its attempts, KEYS[9] ready jobs of the
--         agent's queue
-- ARGV    1 agent id, 2 task id, 3 now in ms, 4 now as RFC 3339, 5 expected state ('' none), 6 new state ('' deletes
--         the task), 7 new record ('' unchanged), 8 status before, 9 status after ('deleted'), 10 the agent's status
--         when none of its tasks is running any more, 11 ended attempt ('' none), 12 event ('' none), 13 next deadline
--         in ms (0 none), 14 tags ('=' unchanged)
-- Returns -1 when the agent does not exist, 0 when the task does not exist or its state differs, else {number of the
--         last event, length of the event stream, ready jobs, ended tasks, event of the agent's new status or ''}
local agent = redis.call('GET', KEYS[1])
if not agent then return -1 end
if (redis.call('GET', KEYS[7]) or '') ~= ARGV[5] or redis.call('EXISTS', KEYS[6]) == 0 then return 0 end

local id, before, after = ARGV[2], ARGV[8], ARGV[9]
if after == 'deleted' then
  redis.call('DEL', KEYS[6], KEYS[7], KEYS[8])
  redis.call('ZREM', KEYS[4], id)
else
  redis.call('SET', KEYS[7], ARGV[6])
  if ARGV[7] ~= '' then redis.call('SET', KEYS[6], ARGV[7]) end
  if ARGV[11] ~= '' then redis.call('RPUSH', KEYS[8], ARGV[11]) end
end

local ended = { completed = true, failed = true, cancelled = true }
if before ~= after then
  redis.call('ZREM', KEYS[4] .. ':' .. before, id)
  if after ~= 'deleted' then redis.call('ZADD', KEYS[4] .. ':' .. after, 0, id) end
  if ended[after] then redis.call('ZADD', KEYS[5], ARGV[3], id) elseif ended[before] then redis.call('ZREM', KEYS[5], id) end
end

local seq = tonumber(redis.call('GET', KEYS[2]) or '0')
if ARGV[12] ~= '' then
  seq = seq + 1
  -- Fields: e JSON, t task id, s status, d next deadline in ms, g tags ('=' unchanged).
  redis.call('XADD', KEYS[3], seq .. '-0', 'e', ARGV[12], 't', id, 's', after, 'd', ARGV[13], 'g', ARGV[14])
end

local status_event = ''
if before ~= after and (before == 'running' or after == 'running') then
  local runs = redis.call('ZCARD', KEYS[4] .. ':running') > 0
  local status = runs and 'active' or ARGV[10]
  -- The record ends with these two fields. JSON escapes quotes in texts, so nothing before can match.
  local head, was, created = agent:match('^(.*)"status":"([^"]*)",("created_at":"[^"]*"})$')
  if was ~= status then
    redis.call('SET', KEYS[1], head .. '"status":"' .. status .. '",' .. created)
    status_event = '{"type":"agent.status","agent_id":"' .. ARGV[1] .. '","status":"' .. status .. '","at":"' .. ARGV[4] .. '"}'
    seq = seq + 1
    -- Fields: e JSON, s status, y type ('' unchanged).
    redis.call('XADD', KEYS[3], seq .. '-0', 'e', status_event, 's', status, 'y', '')
  end
end
redis.call('SET', KEYS[2], seq)
return { seq, redis.call('XLEN', KEYS[3]), redis.call('ZCARD', KEYS[9]), redis.call('ZCARD', KEYS[5]), status_event }
