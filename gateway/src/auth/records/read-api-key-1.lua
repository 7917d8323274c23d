-- Reads an API key with its owner, and notes its use.
-- KEYS[1] prefix of the identity keys
-- ARGV    1 SHA-256 of the key, 2 time in ms, 3 how long to keep it, in ms
-- Returns {id or false, key or false, owner or false}: without the key, it was deleted; without an owner's id in the
--         key, it has none.
local function key(name, id) return KEYS[1] .. name .. ':' .. id end
local id = redis.call('GET', key('key-hash', ARGV[1]))
if not id then return { false, false, false } end
local record = redis.call('GET', key('key', id))
if not record then return { id, false, false } end
redis.call('SET', key('used', id), ARGV[2], 'PX', ARGV[3])
local owner = cjson.decode(record).owner_id
return { id, record, owner ~= cjson.null and redis.call('GET', key('user', owner)) }
