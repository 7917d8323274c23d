-- Reads what the validity of an access token depends on.
-- KEYS[1] prefix of the identity keys
-- ARGV    1 e-mail address, 2 session, 3 id of the token
-- Returns {user or false, how many of session and token were revoked}
--- @flags no-writes
local function key(name, id) return KEYS[1] .. name .. ':' .. id end
local id = redis.call('GET', key('user-email', ARGV[1]))
local user = id and redis.call('GET', key('user', id))
return { user, redis.call('EXISTS', key('revoked', ARGV[2]), key('revoked', ARGV[3])) }
