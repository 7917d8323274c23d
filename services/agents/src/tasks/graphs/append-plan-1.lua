-- Stores a step of a batch that is to begin. It is forgotten after a minute, unless the batch has begun.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {id: of the batch}, 2 the step
-- Returns {}.
--- @include "keys"
local args = cjson.decode(ARGV[1])
call('RPUSH', key('batch', args.id), ARGV[2])
call('EXPIRE', key('batch', args.id), 60)
return {}
