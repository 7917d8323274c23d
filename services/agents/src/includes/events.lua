--- @include "keys"

-- How many events an agent keeps, and the fleet at least.
local AGENT_EVENTS, FLEET_EVENTS = 1000, 100000

-- Appends an event to the streams of its agent, which exists, and of the fleet; returns its number in the agent's
-- stream. event: type; task, status, data (JSON text): '' or absent when it has none; at: ms; previous: number of the
-- task's event before. The fields of the entries are listed in README.md.
local function append_event(agent, event)
  local number = call('HINCRBY', key('agent', agent), 'events', 1)
  local task, status, data = event.task or '', event.status or '', event.data or ''
  call('XADD', key('events', agent), 'MAXLEN', AGENT_EVENTS, number .. '-0',
    'y', event.type, 't', task, 's', status, 'm', event.at, 'p', event.previous or 0, 'd', data)
  local fleet_number = call('INCR', KEYS[1] .. 'event')
  call('XADD', KEYS[1] .. 'events', 'MAXLEN', '~', FLEET_EVENTS, fleet_number .. '-0',
    'a', agent, 'k', call('HGET', key('agent', agent), 'type'), 'n', number, 'y', event.type, 't', task, 's', status, 'm', event.at, 'd', data)
  return number
end

-- Appends the entry of a change to the outbox of the audit trail. entry: JSON; absent unless a person makes the change.
local function append_audit(entry)
  if entry then call('XADD', KEYS[1] .. 'audit-outbox', '*', 'e', entry) end
end
