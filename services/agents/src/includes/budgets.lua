--- @include "keys"
--- @include "events"
--- @include "queues"

-- The part of a budget from which on an event warns.
local WARNING = 0.8

local function budgets_of(agent, type, creators)
  local scopes = { 'fleet', 'type:' .. type, 'agent:' .. agent }
  for _, scope in ipairs(creators) do scopes[#scopes + 1] = scope end
  return scopes
end

-- Lets nothing more be leased when a budget is used up, else again. Returns whether that has changed.
local function settle_budget(scope)
  local budget, reached = key('budget', scope), KEYS[1] .. 'budgets-reached'
  local fields = call('HMGET', budget, 'amount', 'spent', 'until')
  local is_reached, was_reached = fields[1] and tonumber(fields[2]) >= tonumber(fields[1]), reached_until(scope)
  if is_reached then call('HSET', reached, scope, fields[3]) else call('HDEL', reached, scope) end
  if not is_reached == not was_reached then return false end
  local agent = scope:match('^agent:(.*)')
  local type = agent and call('HGET', key('agent', agent), 'type')
  if type then refresh_ready(agent, type) end
  return true
end

-- Sets a budget: {amount and spent (earlier in the period) in millionths of a dollar, period, zone, from, until: ms, or
-- '' for ever, time: the same as text}. What is spent stays, unless the period is another one. Without it, deletes
-- the budget.
local function set_budget(scope, new)
  local budget = key('budget', scope)
  if new then
    local old = call('HMGET', budget, 'period', 'zone', 'from')
    if old[1] ~= new.period or old[2] ~= new.zone or old[3] ~= tostring(new.from) then
      call('HSET', budget, 'spent', new.spent, 'later', 0)
    end
    call('HSET', budget, 'amount', new.amount, 'period', new.period, 'zone', new.zone, 'told', 0)
    call('HSET', budget, 'from', new.from, 'until', new['until'], 'time', new.time)
    call('ZADD', KEYS[1] .. 'budgets', new['until'] == '' and '+inf' or new['until'], scope)
  else
    call('DEL', budget)
    call('ZREM', KEYS[1] .. 'budgets', scope)
  end
  return settle_budget(scope)
end

-- Adds to what is spent of a budget: what comes after the end of its period counts in the next one. Tells once a period
-- that it is nearly or quite used up. Returns what is left, nil without a budget, and the end of the period.
local function spend(scope, agent, micros, at)
  local budget = key('budget', scope)
  local fields = call('HMGET', budget, 'amount', 'spent', 'until', 'told')
  local amount, spent, ends = tonumber(fields[1]), tonumber(fields[2]), fields[3]
  if not amount then return nil end
  if ends ~= '' and at >= tonumber(ends) then
    return amount - call('HINCRBY', budget, 'later', string.format('%.0f', micros)), ends
  end
  if micros ~= 0 then
    spent = call('HINCRBY', budget, 'spent', string.format('%.0f', micros))
    local told = spent >= amount and 2 or spent >= amount * WARNING and 1 or 0
    if told > tonumber(fields[4]) then
      call('HSET', budget, 'told', told)
      local data = '{"scope":"%s","amount":%.17g,"spent":%.17g,"until":%s}'
      local time = call('HGET', budget, 'time')
      append_event(agent, {
        type = told == 2 and 'budget.reached' or 'budget.warning',
        at = at,
        data = data:format(scope, amount / 1e6, spent / 1e6, time == '' and 'null' or '"' .. time .. '"'),
      })
    end
    settle_budget(scope)
  end
  return amount - spent, ends
end

-- The same for all budgets that an attempt is of. Returns the least that is left, and the end of that period.
local function spend_of(scopes, agent, micros, at)
  local least, least_ends
  for _, scope in ipairs(scopes) do
    local left, ends = spend(scope, agent, micros, at)
    if left and (not least or left < least) then least, least_ends = left, ends end
  end
  return least, least_ends
end
