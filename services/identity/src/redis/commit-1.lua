-- Writes everything that one operation changes, or nothing.
-- KEYS[1] prefix of the identity keys
-- ARGV    1 JSON {checks: [[kind, key, value], …], commands: [[command, argument, …], …], changes: [name, …],
--         audit: [[field, value], …]}
--         An argument [before, after] is joined by the next whole millisecond since the epoch: later than any time
--         that was read before this write.
--         Checks: ['value', key, text or false when it must not exist], ['at least', key, number of members],
--         ['below', key, number of members]; the key of the last two is a set or a sorted set.
-- Returns 0, or the number of the first check that fails; then nothing is written.
local call = redis.call
local MAX_CHANGES, MAX_UNTRIMMED = 10000, 1000000
local args = cjson.decode(ARGV[1])

local function count(key)
  return call('TYPE', key).ok == 'zset' and call('ZCARD', key) or call('SCARD', key)
end

for at, check in ipairs(args.checks) do
  local kind, key, value = check[1], check[2], check[3]
  local holds
  if kind == 'value' then holds = call('GET', key) == value
  elseif kind == 'at least' then holds = count(key) >= value
  else holds = count(key) < value end
  if not holds then return at end
end

local time = call('TIME')
local next_ms = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + 1)
for _, command in ipairs(args.commands) do
  for at, argument in ipairs(command) do
    if type(argument) == 'table' then command[at] = argument[1] .. next_ms .. argument[2] end
  end
  call(unpack(command))
end
-- Numbered, so that a reader notices a gap.
for _, name in ipairs(args.changes) do
  local number = call('INCR', KEYS[1] .. 'change')
  call('XADD', KEYS[1] .. 'changes', 'MAXLEN', '~', MAX_CHANGES, number .. '-0', 'c', name)
end
for _, fields in ipairs(args.audit) do
  call('XADD', KEYS[1] .. 'audit', 'MAXLEN', '~', MAX_UNTRIMMED, '*', unpack(fields))
end
return 0
