-- Reads what the validity of an access token depends on.
-- KEYS[1] prefix of the identity keys
-- ARGV    1 e-mail address, 2 session or '', 3 id of the token
-- Returns {user or false, 1 when the session or token was revoked, 1 when the data has the present layout}
--- @flags no-writes
local function key(name, id) return KEYS[1] .. name .. ':' .. id end
local id = redis.call('GET', key('user-email', ARGV[1]))
local user = id and redis.call('GET', key('user', id))
local revoked = redis.call('EXISTS', key('revoked', ARGV[3]))
if revoked == 0 and ARGV[2] ~= '' then revoked = redis.call('EXISTS', key('revoked', ARGV[2])) end
return { user, revoked, redis.call('EXISTS', KEYS[1] .. 'layout') }
