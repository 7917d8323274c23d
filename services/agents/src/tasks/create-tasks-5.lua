-- Stores new tasks with their index entries and events in their agent's keys. An existing task stays the same, so that
-- a repeated request creates nothing twice.
-- KEYS[1] the agent's record, KEYS[2] the number of its last event, KEYS[3] its events, KEYS[4] its tasks, KEYS[5] key
--         prefix of a record
-- ARGV    1 key of the queue's settings, 2 its `opts.maxLenEvents`, then for each task: its id, record, event, next
--         deadline in ms, tags
-- Returns -1 when the agent does not exist, else {number of the last event, length of the event stream, 1 (new) or 0
--         for each task}.
if redis.call('EXISTS', KEYS[1]) == 0 then return -1 end
local seq = tonumber(redis.call('GET', KEYS[2]) or '0')
local reply = { 0, 0 }
redis.call('HSETNX', ARGV[1], 'opts.maxLenEvents', ARGV[2])
for at = 3, #ARGV, 5 do
  local id = ARGV[at]
  local is_new = redis.call('SET', KEYS[5] .. id, ARGV[at + 1], 'NX')
  if is_new then
    seq = seq + 1
    redis.call('ZADD', KEYS[4], 0, id)
    redis.call('ZADD', KEYS[4] .. ':pending', 0, id)
    -- Fields: e JSON, t task id, s status, d next deadline in ms, g tags.
    redis.call('XADD', KEYS[3], seq .. '-0', 'e', ARGV[at + 2], 't', id, 's', 'pending', 'd', ARGV[at + 3], 'g', ARGV[at + 4])
  end
  reply[#reply + 1] = is_new and 1 or 0
end
redis.call('SET', KEYS[2], seq)
reply[1] = seq
reply[2] = redis.call('XLEN', KEYS[3])
return reply
