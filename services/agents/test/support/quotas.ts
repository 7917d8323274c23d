/** Quotas that are never used up: the service counts what they are of. */
export const COUNTED = { MAX_AGENTS_PER_PRINCIPAL: '1000000', MAX_PENDING_TASKS_PER_PRINCIPAL: '1000000' };

export const PRINCIPAL = { 'x-fleet-principal': 'user:ada@example.com' };
