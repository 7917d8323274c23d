import { Counter, type Registry } from 'prom-client';

export interface IdentityMetrics {
  /** `limited`: refused after too many failures; `error`: neither right nor wrong, as while Redis is unavailable. */
  countSignIn(outcome: 'success' | 'failure' | 'limited' | 'error'): void;
}

export function createIdentityMetrics(registry: Registry): IdentityMetrics {
  const signIns = new Counter({
    name: 'identity_sign_ins_total',
    help: 'Sign-ins with a password by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return { countSignIn: (outcome) => signIns.inc({ outcome }) };
}
