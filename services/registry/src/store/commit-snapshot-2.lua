--[[
Makes all replicas serve a staged snapshot, and notifies them. A newer stored snapshot stays.
KEYS[1] the staged snapshot   KEYS[2] the stored snapshot
ARGV[1] id of the staged snapshot   ARGV[2] its time   ARGV[3] seconds to keep it   ARGV[4] channel
Returns 1; 0 if another snapshot is staged or the stored one is not older; -1 if none is staged.
]]
local at = tonumber(ARGV[2])
local current = redis.call('HGET', KEYS[2], 'meta')
if current then
  local read, meta = pcall(cjson.decode, current)
  if read and type(meta) == 'table' and type(meta.at) == 'number' and meta.at >= at then return 0 end
end
local staged = redis.call('HGET', KEYS[1], 'meta')
if not staged then return -1 end
staged = cjson.decode(staged)
if staged.id ~= ARGV[1] or staged.at ~= at then return 0 end
redis.call('RENAME', KEYS[1], KEYS[2])
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('PUBLISH', ARGV[4], 'switch')
return 1
