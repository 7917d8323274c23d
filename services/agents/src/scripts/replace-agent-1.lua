-- Replaces name and type of an agent. When its type changes, its tasks move to the new type in later steps
-- (retype-tasks-1.lua).
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {id, type, at, data, etags: [], audit?: entry}, 2 head of the record before its status
-- Returns {'replaced', record, 1 when its tasks must move to another type, else 0}, {'missing'}, or {'stale'} when no
--         tag matches.
--- @include "agents"
--- @include "audit"
--- @include "events"
--- @include "queue"
--- @include "words"
local args = cjson.decode(ARGV[1])
local id, type = args.id, args.type
local record = read_agent(id)
if not record then return { 'missing' } end
if not is_match(record, args.etags) then return { 'stale' } end

local agent = key('agent', id)
local fields = call('HMGET', agent, 'status', 'type', 'was')
local status, before, was = fields[1], fields[2], fields[3]
call('HSET', agent, 'head', ARGV[2], 'type', type)
local number = append_event(id, { type = 'agent.replaced', at = args.at, data = args.data })
append_audit(args.audit)
if before ~= type then
  index_agent('ZREM', id, before, status)
  index_agent('ZADD', id, type, status)
  local turn = call('ZSCORE', key('ready', before), id)
  if turn then
    call('ZREM', key('ready', before), id)
    call('ZADD', key('ready', type), turn, id)
    notify(id, type, call('ZCARD', key('queue', id)))
  end
  notify_reserved(id, type)
  local earlier = { before }
  for _, other in ipairs(words(was or '')) do
    if other ~= type and other ~= before then earlier[#earlier + 1] = other end
  end
  -- Tasks that are created from now on have the new type.
  local last_task = call('ZRANGE', key('tasks:agent', id), -1, -1)[1]
  if last_task then
    call('HSET', agent, 'was', table.concat(earlier, ' '), 'retyped', number, 'until', last_task)
    call('HDEL', agent, 'moved')
    call('SADD', KEYS[1] .. 'retypes', id)
  end
end
return { 'replaced', read_agent(id), call('SISMEMBER', KEYS[1] .. 'retypes', id) }
