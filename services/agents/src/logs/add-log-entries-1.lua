-- Appends log entries of a task for the holder of its lease.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {agent, task, lease: number of the lease, entries: [{at?: ms, level, stream, type}]}, 2 token of the
--         lease, 3… text and data of each entry
-- Returns {'added'}, {'missing'} when the lease never existed or its task was deleted, or {'lost'}.
--- @include "leases"
--- @include "logs"
local args = cjson.decode(ARGV[1])
local problem = find_lease_problem(args, ARGV[2])
if problem then return { problem } end
for at, entry in ipairs(args.entries) do entry.text, entry.data = ARGV[2 * at + 1], ARGV[2 * at + 2] end
append_entries(args.task, args.entries)
return { 'added' }
