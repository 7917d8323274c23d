-- Stores a new agent with its first event.
-- KEYS[1] the agent's record, KEYS[2] number of its last event, KEYS[3] its events
-- ARGV    1 record, 2 event, 3 status, 4 type
-- Returns 1, or 0 when the agent exists.
if not redis.call('SET', KEYS[1], ARGV[1], 'NX') then return 0 end
redis.call('SET', KEYS[2], 1)
-- Fields: e JSON, s status, y type.
redis.call('XADD', KEYS[3], '1-0', 'e', ARGV[2], 's', ARGV[3], 'y', ARGV[4])
return 1
