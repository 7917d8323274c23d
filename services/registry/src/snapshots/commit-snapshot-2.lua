--[[
Makes a staged snapshot the one that all replicas serve, and tells them. A newer one that is there stays.
KEYS[1] the staged snapshot   KEYS[2] the snapshot
ARGV[1] id of the staged one   ARGV[2] seconds to keep it   ARGV[3] channel
Returns 1, or 0 when another one is staged or the one that is there is newer.
]]
local staged = redis.call('HGET', KEYS[1], 'meta')
if not staged then return 0 end
staged = cjson.decode(staged)
if staged.id ~= ARGV[1] then return 0 end
local current = redis.call('HGET', KEYS[2], 'meta')
if current then
  local read, meta = pcall(cjson.decode, current)
  if read and type(meta) == 'table' and type(meta.at) == 'number' and meta.at >= staged.at then return 0 end
end
redis.call('RENAME', KEYS[1], KEYS[2])
redis.call('EXPIRE', KEYS[2], ARGV[2])
redis.call('PUBLISH', ARGV[3], 'switch')
return 1
