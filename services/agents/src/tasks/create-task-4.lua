-- Stores a new task with its places in its agent's indexes.
-- KEYS[1] the agent's record, KEYS[2] the task's record, KEYS[3] the agent's tasks, KEYS[4] its pending tasks
-- ARGV    1 task id, 2 record
-- Returns 1, or 0 when there is no such agent.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
redis.call('ZADD', KEYS[3], 0, ARGV[1])
redis.call('ZADD', KEYS[4], 0, ARGV[1])
return 1
