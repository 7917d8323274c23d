-- Reads a browser's session with its user. A session that was not used for long enough has ended.
-- KEYS[1] prefix of the identity keys
-- ARGV    1 SHA-256 of the cookie
-- Returns {session or false, user or false}
--- @flags no-writes
local function key(name, id) return KEYS[1] .. name .. ':' .. id end
local id = redis.call('GET', key('session-hash', ARGV[1]))
local session = id and redis.call('GET', key('session', id))
if not session or redis.call('EXISTS', key('used', id)) == 0 then return { false, false } end
return { session, redis.call('GET', key('user', cjson.decode(session).user_id)) }
