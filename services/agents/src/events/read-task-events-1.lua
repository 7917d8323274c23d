-- Reads events of a task, latest first, along the links from each event to the one before.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {agent, from: number of the latest event to read, after: only events after this number, max: how many}
-- Returns {number before the last one read (0 none), 1 when that event is no longer kept, else 0, {id, fields}, …}
--- @flags no-writes
--- @include "keys"
local args = cjson.decode(ARGV[1])
local number, left = args.from, args.max
local events = {}
local is_gone = 0
while number > args.after and left > 0 do
  local id = string.format('%d-0', number)
  local entry = call('XRANGE', key('events', args.agent), id, id)[1]
  if not entry then
    is_gone = 1
    break
  end
  events[#events + 1] = entry
  left = left - 1
  for at = 1, #entry[2], 2 do
    if entry[2][at] == 'p' then number = tonumber(entry[2][at + 1]) end
  end
end
return { number, is_gone, unpack(events) }
