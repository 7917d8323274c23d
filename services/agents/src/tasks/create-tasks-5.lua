-- Stores new tasks with their places in their agent's indexes and their events. A task that is there already stays as it is, so that
-- a repeated request creates nothing twice.
-- KEYS[1] the agent's record, KEYS[2] the number of its last event, KEYS[3] its events, KEYS[4] its tasks, KEYS[5] a record before the task id
-- ARGV    1 `opts.maxLenEvents` of the agent's queue: its key, 2 its value, then for each task: its id, record, event, when something is
--         due for it in ms, its tags
-- Returns -1 when there is no such agent, else {number of the last event, length of the events, 1 or 0 for each task: whether it is new}.
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
    redis.call('XADD', KEYS[3], seq .. '-0', 'e', ARGV[at + 2], 't', id, 's', 'pending', 'd', ARGV[at + 3], 'g', ARGV[at + 4])
  end
  reply[#reply + 1] = is_new and 1 or 0
end
redis.call('SET', KEYS[2], seq)
reply[1] = seq
reply[2] = redis.call('XLEN', KEYS[3])
return reply
