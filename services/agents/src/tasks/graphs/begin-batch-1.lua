-- Begins a batch whose steps are stored: from here on its tasks are created, whoever does it. Takes its quota, and
-- keeps the reply.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {id: of the batch, steps: how many, agents: [{id, version?: of its definition, current: whether that
--          has to be the current one, sets: of labels, a list}], count: of the tasks, owner?: the principal, quota?:
--          {owner, max}, kept?: {digest, expected}, audit: entries, a list}, 2 what to keep
-- Returns {'begun'}, {'missing', id of the agent}, {'redefined', id of the agent} when it has another version, {'full'}
--          when the quota allows fewer tasks, {'too many sets'} of labels, or {'kept', value} when something else is
--          stored under the Idempotency-Key.
--- @include "events"
--- @include "idempotency"
--- @include "tasks"
local args = cjson.decode(ARGV[1])
local found = found_reply(args.kept)
if found then return { 'kept', found } end
-- Over a lost connection, a script may be sent twice.
if call('SISMEMBER', KEYS[1] .. 'batches', args.id) == 1 then return { 'begun' } end
local sets = {}
for _, agent in ipairs(args.agents) do
  local fields = call('HMGET', key('agent', agent.id), 'type', 'version')
  if not fields[1] then return { 'missing', agent.id } end
  if agent.current and (fields[2] or '') ~= tostring(agent.version or '') then return { 'redefined', agent.id } end
  sets[fields[1]] = sets[fields[1]] or {}
  for _, set in ipairs(agent.sets) do table.insert(sets[fields[1]], set) end
end
for type, of_type in pairs(sets) do
  if not may_have_sets(type, of_type, args.owner) then return { 'too many sets' } end
end
if args.count > free_usage('tasks', args.quota) then return { 'full' } end
if call('LLEN', key('batch', args.id)) ~= args.steps then error('the steps of the batch are forgotten') end
call('PERSIST', key('batch', args.id))
if args.steps > 0 then call('SADD', KEYS[1] .. 'batches', args.id) end
if args.quota then add_usage('tasks', args.quota.owner, args.count) end
for _, entry in ipairs(args.audit) do append_audit(entry) end
keep_reply(args.kept, ARGV[2])
return { 'begun' }
