--[[
  Keeps a snapshot, unless a newer one of the same source is there already.
  KEYS[1] snapshot HASH {meta, body}
  ARGV[1] meta, JSON with id and fetchedAt (milliseconds)
  ARGV[2] body in brotli
  ARGV[3] seconds to keep it
  ARGV[4] channel to tell the other replicas on
  Returns 1 when it was kept, 0 when a newer one is there.
]]
local stored = redis.call('HGET', KEYS[1], 'meta')
local meta = cjson.decode(ARGV[1])
if stored then
  local previous = cjson.decode(stored)
  if previous.id ~= meta.id and previous.fetchedAt >= meta.fetchedAt then
    return 0
  end
end
redis.call('HSET', KEYS[1], 'meta', ARGV[1], 'body', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('PUBLISH', ARGV[4], meta.id)
return 1
