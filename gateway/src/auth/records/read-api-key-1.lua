-- Reads an API key with its owner.
-- KEYS[1] prefix of the identity keys
-- ARGV    1 SHA-256 of the key
-- Returns {id or false, key or false, owner or false, number of deleted parents}: without the key, it was deleted;
--         without an owner's id in the key, it has none.
--- @flags no-writes
local function key(name, id) return KEYS[1] .. name .. ':' .. id end
local id = redis.call('GET', key('key-hash', ARGV[1]))
if not id then return { false, false, false, 0 } end
local record = redis.call('GET', key('key', id))
if not record then return { id, false, false, 0 } end
local fields = cjson.decode(record)
local deleted = 0
for _, parent in ipairs(fields.parents or {}) do deleted = deleted + 1 - redis.call('EXISTS', key('key', parent)) end
local owner = fields.owner_id
return { id, record, owner ~= cjson.null and redis.call('GET', key('user', owner)), deleted }
