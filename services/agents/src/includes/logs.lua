--- @include "keys"
local MAX_ENTRIES, MAX_BYTES = 10000, 5 * 1024 * 1024

-- Returns the number of an entry, the bytes of all texts and data before it, and its own.
local function parse_entry(entry)
  local fields = {}
  for at = 1, #entry[2], 2 do fields[entry[2][at]] = entry[2][at + 1] end
  return tonumber(entry[1]:match('%d+')), tonumber(fields.b), #fields.x + #(fields.d or '')
end

-- Drops the oldest entries of a log beyond 10,000, or `MAX_BYTES` of the `bytes` in all that were ever added.
local function trim_log(log, number, bytes)
  local function is_over(entry) return bytes - select(2, parse_entry(entry)) > MAX_BYTES end
  local first = call('XRANGE', log, '-', '+', 'COUNT', 1)[1]
  local oldest = parse_entry(first)
  local low = math.max(oldest, number - MAX_ENTRIES + 1)
  if is_over(first) then
    local high = number
    while low < high do
      local middle = math.floor((low + high) / 2)
      local id = middle .. '-0'
      if is_over(call('XRANGE', log, id, id)[1]) then low = middle + 1 else high = middle end
    end
  end
  if low > oldest then call('XTRIM', log, 'MINID', low .. '-0') end
end

-- A notice to the replicas whose clients follow the log of a task, or whose worker waits for its inbox. They read at
-- most 1,000 at once.
local function notify_task(task, of_inbox)
  call('XADD', KEYS[1] .. 'logs', 'MAXLEN', '~', 1000, '*', of_inbox and 'i' or 't', task)
end

-- Appends entries to the log of a task. entries: [{at?: ms, level, stream, type, text, data: JSON or ''}]
local function append_entries(task, entries)
  local log, now, number, bytes = key('logs', task), now_ms(), 0, 0
  local last = call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
  if last then
    local before, own
    number, before, own = parse_entry(last)
    bytes = before + own
  end
  for _, entry in ipairs(entries) do
    number = number + 1
    local fields = { 'm', entry.at or now, 'l', entry.level, 's', entry.stream, 'b', bytes, 'x', entry.text }
    if entry.type ~= 'log' then
      for _, value in ipairs({ 'y', entry.type, 'd', entry.data }) do fields[#fields + 1] = value end
    end
    call('XADD', log, number .. '-0', unpack(fields))
    bytes = bytes + #entry.text + #entry.data
  end
  trim_log(log, number, bytes)
  notify_task(task)
end
