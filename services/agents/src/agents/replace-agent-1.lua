-- Replaces name and type of an agent. Its tasks keep their type; while it has any, `was` has its earlier types.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {id, type, at, data, etags: [], audit?: entry, mark?: '' for none}, 2 head of the record before its
--         status
-- Returns {'replaced', record}, {'missing'}, or {'stale'} when no tag matches.
--- @include "agents"
--- @include "events"
--- @include "queues"
local args = cjson.decode(ARGV[1])
local id, type = args.id, args.type
local record = read_agent(id)
if not record then return { 'missing' } end
if not is_match(record, args.etags) then return { 'stale' } end

local agent = key('agent', id)
local fields = call('HMGET', agent, 'status', 'type', 'was')
local status, before, was = fields[1], fields[2], fields[3]
call('HSET', agent, 'head', ARGV[2], 'type', type)
if args.mark == '' then call('HDEL', agent, 'mark') elseif args.mark then call('HSET', agent, 'mark', args.mark) end
append_event(id, { type = 'agent.replaced', at = args.at, data = args.data })
append_audit(args.audit)
if before ~= type then
  index_agent('ZREM', id, before, status)
  index_agent('ZADD', id, type, status)
  for _, needs in ipairs(needs_of('queue', id)) do
    local turn = call('ZSCORE', with_needs('ready', before, needs), id)
    if turn then
      make_unready(id, before, needs)
      call('ZADD', with_needs('ready', type, needs), turn, id)
      register_needs('ready', type, needs)
    end
  end
  notify_queued(id, type)
  local earlier = before
  for other in (was or ''):gmatch('%S+') do
    if other ~= type and other ~= before then earlier = earlier .. ' ' .. other end
  end
  if call('EXISTS', key('tasks:agent', id)) == 1 then
    call('HSET', agent, 'was', earlier)
  else
    call('HDEL', agent, 'was')
  end
end
return { 'replaced', read_agent(id) }
