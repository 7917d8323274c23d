-- Sets or deletes a budget, or begins its next period.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {scope, budget?: as `set_budget` takes it, else it is deleted, ended?: the end of the period that is
--         over, types: [] of the fleet, audit?: entry}
-- Returns {'set'}, or {'missing'}, also when the period has begun already.
--- @include "budgets"
--- @include "agents"
local MANY = 1000
local args = cjson.decode(ARGV[1])
local scope, new = args.scope, args.budget
local old = call('HMGET', key('budget', scope), 'until', 'amount', 'later')
if not new and not old[1] or args.ended and old[1] ~= args.ended then return { 'missing' } end
if args.ended then new.amount, new.spent = old[2], old[3] end
if set_budget(scope, new) and not reached_until(scope) then
  for _, type in ipairs(scope == 'fleet' and args.types or { scope:match('^type:(.*)') }) do
    call('XADD', KEYS[1] .. 'wake', 'MAXLEN', '~', 1000, '*', 'a', '', 'y', type, 'n', MANY)
  end
end
append_audit(args.audit)
return { 'set' }
