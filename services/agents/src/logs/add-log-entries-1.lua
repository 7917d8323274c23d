-- Appends log entries of a task for the holder of its lease. The oldest are dropped beyond 10,000 entries or 5 MiB.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {agent, task, lease: number of the lease, entries: [{at?: ms, level, stream?}]}, 2 token of the
--         lease, 3… text of each entry
-- Returns {'added'}, {'missing'} when the lease never existed or its task was deleted, or {'lost'}.
--- @include "keys"
local MAX_ENTRIES, MAX_BYTES = 10000, 5 * 1024 * 1024
local args = cjson.decode(ARGV[1])
local log = key('logs', args.task)

-- Returns the state of the task of the lease. cjson refuses lone surrogates, which a name of a worker or a reason may
-- have.
local function read_state()
  if call('EXISTS', key('agent', args.agent)) == 0 then return nil end
  -- A record begins with the ids of the task and its agent.
  if call('GETRANGE', key('task', args.task), 57, 92) ~= args.agent then return nil end
  local text = call('GET', key('state', args.task))
  local json = text and text:match(' (.+)$')
  return json and cjson.decode((json:gsub('\\u[dD][89a-fA-F]%x%x', '\\u0041')))
end

local state = read_state()
if not state or args.lease > state.leases then return { 'missing' } end
local lease = state.lease
-- Not in constant time: through Redis and two services, nobody can measure the microseconds of one comparison.
local is_held = lease ~= cjson.null and lease.number == args.lease and lease.token == ARGV[2]
local now = now_ms()
if not is_held or lease.expiresAt <= now then return { 'lost' } end

-- Returns the number of an entry, the bytes of all texts before it, and its text.
local function parse(entry)
  local fields = {}
  for at = 1, #entry[2], 2 do fields[entry[2][at]] = entry[2][at + 1] end
  return tonumber(entry[1]:match('%d+')), tonumber(fields.b), fields.x
end

local number, bytes = 0, 0
local last = call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
if last then
  local before, text
  number, before, text = parse(last)
  bytes = before + #text
end
for at, entry in ipairs(args.entries) do
  local text = ARGV[at + 2]
  number = number + 1
  call('XADD', log, number .. '-0', 'm', entry.at or now, 'l', entry.level, 's', entry.stream or '', 'b', bytes,
    'x', text)
  bytes = bytes + #text
end

-- Whether an entry and those after it have too many bytes.
local function is_over(entry) return bytes - select(2, parse(entry)) > MAX_BYTES end

local first = call('XRANGE', log, '-', '+', 'COUNT', 1)[1]
local low = math.max(parse(first), number - MAX_ENTRIES + 1)
if is_over(first) then
  local high = number
  while low < high do
    local middle = math.floor((low + high) / 2)
    local id = middle .. '-0'
    if is_over(call('XRANGE', log, id, id)[1]) then low = middle + 1 else high = middle end
  end
end
if low > parse(first) then call('XTRIM', log, 'MINID', low .. '-0') end
-- A notice to the replicas whose clients follow a log. They read at most 1,000 at once.
call('XADD', KEYS[1] .. 'logs', 'MAXLEN', '~', 1000, '*', 't', args.task)
return { 'added' }
