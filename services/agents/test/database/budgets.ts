import type { Definition } from '../../src/definitions/definition.ts';
import type { Snapshot } from './snapshot.ts';

/** Each budget has its end, and is used up when so much is spent; an agent has that of its definition. */
export function budgetProblems({ budgets, budgetEnds, reached, agents, definitions }: Snapshot): string[] {
  const scopes = new Set([...budgets.keys(), ...budgetEnds.keys(), ...reached.keys()]);
  const problems = [...scopes].flatMap((scope) => {
    const { amount, spent, until } = budgets.get(scope) ?? {};
    const end = until === '' ? Number.POSITIVE_INFINITY : Number(until);
    const isReached = Number(spent) >= Number(amount);
    return [
      ...((budgetEnds.get(scope) || Number.POSITIVE_INFINITY) === end
        ? []
        : [`the budget ${scope} ends at ${until}, not ${budgetEnds.get(scope)}`]),
      ...(reached.get(scope) === (isReached ? until : undefined)
        ? []
        : [`the budget ${scope} has ${spent} of ${amount}, but it is reached: ${reached.get(scope)}`]),
    ];
  });
  for (const [id, { version }] of agents) {
    const record = version === undefined ? undefined : definitions.get(id)?.[version];
    const budget = record === undefined ? null : (JSON.parse(record) as Definition).budget;
    const stored = budgets.get(`agent:${id}`);
    const amount = budget ? Math.round(budget.amount * 1e6).toString() : undefined;
    if (stored?.amount !== amount) problems.push(`the agent ${id} has the budget ${amount}, not ${stored?.amount}`);
  }
  return problems;
}
