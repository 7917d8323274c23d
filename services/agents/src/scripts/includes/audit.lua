--- @include "keys"

-- Appends the entry of a change to the outbox of the audit trail. entry: JSON; absent unless a person makes the change.
local function append_audit(entry)
  if entry then call('XADD', KEYS[1] .. 'audit-outbox', '*', 'e', entry) end
end
