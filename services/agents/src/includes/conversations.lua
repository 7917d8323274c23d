--- @include "keys"
--- @include "logs"

-- The indexes of the input requests of an agent in a state: of all, of the agent and of the type of its task, or of
-- both, each with and without the kind.
local function request_indexes(agent, type, kind, state)
  local all, indexes = KEYS[1] .. 'input-requests', {}
  local own, of_type = all .. ':agent:' .. agent, ':type:' .. type
  for _, scope in ipairs({ all, own, all .. of_type, own .. of_type }) do
    indexes[#indexes + 1] = scope .. ':state:' .. state
    indexes[#indexes + 1] = scope .. ':kind:' .. kind .. ':state:' .. state
  end
  return indexes
end

-- Adds a request to its indexes, or moves it there. Members sort by the request's creation and name its task.
local function index_request(agent, type, task, request, state)
  local requests, member = key('requests', task), request .. ':' .. task
  local kind, before = (call('HGET', requests, 'in:' .. request) or ''):match('(%S+) (%S+)')
  if before then
    for _, index in ipairs(request_indexes(agent, type, kind, before)) do call('ZREM', index, member) end
  end
  if not state then return end
  for _, index in ipairs(request_indexes(agent, type, state.kind, state.name)) do call('ZADD', index, 0, member) end
  call('HSET', requests, 'in:' .. request, state.kind .. ' ' .. state.name)
end

-- Writes what people and the worker of a task say: `ConversationWrites` of tasks/rules/conversation.ts.
local function write_conversation(agent, type, task, writes)
  local requests, messages = key('requests', task), key('messages', task)
  local opened, sent, suspension = writes.opened, writes.sent, writes.suspension
  if opened then
    call('HSET', requests, opened.id, opened.record, 'key:' .. opened.key, opened.named)
    index_request(agent, type, task, opened.id, { kind = opened.kind, name = 'open' })
  end
  for _, closed in ipairs(writes.closed or {}) do
    call('HSET', requests, 'end:' .. closed.id, closed.record)
    index_request(agent, type, task, closed.id, { kind = closed.kind, name = closed.state })
  end
  if sent then call('HSET', messages, sent.id, sent.record) end
  for _, taken in ipairs(writes.taken or {}) do call('HSET', messages, 'end:' .. taken.id, taken.record) end
  if writes.entries and #writes.entries > 0 then append_entries(task, writes.entries) end
  if suspension then call('DEL', key('suspension', task)) end
  if suspension and suspension ~= cjson.null then
    call('HSET', key('suspension', task), 'session', suspension.session, 'data', suspension.data, 'state', suspension.state)
  end
  if writes.hasItems then notify_task(task, true) end
end

-- Deletes what people and the worker of a task have said.
local function delete_conversation(agent, type, task)
  local requests = key('requests', task)
  if call('EXISTS', requests) == 1 then
    for _, field in ipairs(call('HKEYS', requests)) do
      local request = field:match('^in:(.+)')
      if request then index_request(agent, type, task, request) end
    end
  end
  call('UNLINK', requests, key('messages', task), key('suspension', task))
end
