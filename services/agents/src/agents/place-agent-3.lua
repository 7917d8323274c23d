-- Puts an agent where it belongs in the fleet's indexes, or takes it out of them. Idempotent, and safe in any order: an older
-- version never replaces a newer one, and an agent that was removed stays removed.
-- KEYS[1] placements, KEYS[2] removed, KEYS[3] the index of all agents; the others' names begin with it
-- ARGV    1 agent id, 2 now in ms, 3 version, 4 status, 5 type (3–5 absent: the agent is gone)
local id, base = ARGV[1], KEYS[3]
local placed = redis.call('HGET', KEYS[1], id)
if placed == 'removed' then return 0 end

local function indexes(status, type)
  return { base, base .. ':status:' .. status, base .. ':type:' .. type, base .. ':status:' .. status .. ':type:' .. type }
end

local wanted = ARGV[3] and indexes(ARGV[4], ARGV[5]) or {}
if placed then
  local version, status, type = placed:match('^(%d+) (%S+) (%S+)$')
  if ARGV[3] and tonumber(version) >= tonumber(ARGV[3]) then return 0 end
  for _, index in ipairs(indexes(status, type)) do
    redis.call('ZREM', index, id)
  end
end
for _, index in ipairs(wanted) do
  redis.call('ZADD', index, 0, id)
end
if ARGV[3] then
  redis.call('HSET', KEYS[1], id, ARGV[3] .. ' ' .. ARGV[4] .. ' ' .. ARGV[5])
elseif placed then
  redis.call('HSET', KEYS[1], id, 'removed')
  redis.call('ZADD', KEYS[2], ARGV[2], id)
end
return 1
