-- Checks whether a worker holds a lease.
-- KEYS[1] prefix of the fleet's keys
-- ARGV    1 JSON {agent, task, lease: number of the lease}, 2 token of the lease
-- Returns {'held'}, {'missing'} when the lease never existed or its task was deleted, or {'lost'}.
--- @flags no-writes
--- @include "leases"
return { find_lease_problem(cjson.decode(ARGV[1]), ARGV[2]) or 'held' }
