import { type Agent, type components, FleetError } from '@agent-fleet/sdk';
import { relativeTime } from '@agent-fleet/sdk/words';
import type { Context } from '../context.ts';
import { take } from '../lookup.ts';
import { type Change, type Content, changesOf } from './content.ts';
import type { ReadFile } from './read-files.ts';

type Definition = components['schemas']['DefinitionContent'];

/** What is to be done with an agent, found by its owner and its name. */
export interface Step {
  action: 'create' | 'change' | 'delete';
  name: string;
  type: string;
  owner: string;
  /** Absent for what is deleted. */
  file?: string;
  /** Absent for what is created. */
  id?: string;
  changes: Change[];
}

/** With what a step needs besides. */
export interface PlannedStep extends Step {
  definition: Definition | null;
  /** Of the definition that is replaced. */
  etag: string | null;
}

export interface Plan {
  steps: PlannedStep[];
  warnings: string[];
  problems: string[];
}

/** Whether skills that the registry does not have are right, as a query. */
type AllowUnknownSkills = { allow_unknown_skills?: boolean };
type PlannedFile = ReadFile & { allows: AllowUnknownSkills };
type Listed = Pick<Agent, 'id' | 'name' | 'type' | 'created_at'>;

/** What all agents of an owner are, by name. */
async function listOwned({ fleet, signal }: Context, owner: string): Promise<Map<string, Listed[]>> {
  const query = { owner, fields: 'name,type,created_at', limit: 1_000 };
  const agents = await take(fleet().paginate('/agents', { params: { query }, signal }), Number.POSITIVE_INFINITY);
  return Map.groupBy(agents as Listed[], ({ name }) => name);
}

/** Has the fleet check each file, and compares it with its agent. With `prunes`, others of the owners are deleted. */
export async function planFiles(
  context: Context,
  files: readonly ReadFile[],
  owners: Iterable<string>,
  { prunes, allows }: { prunes: boolean; allows: AllowUnknownSkills },
): Promise<Plan> {
  const plan: Plan = { steps: [], warnings: [], problems: [] };
  const deletions: PlannedStep[] = [];
  for (const owner of owners) {
    const owned = await listOwned(context, owner);
    for (const file of files.filter((one) => one.owner === owner)) {
      const agents = owned.get(String(file.name)) ?? [];
      owned.delete(String(file.name));
      try {
        await planFile(context, plan, { ...file, allows }, agents);
      } catch (error) {
        plan.problems.push(...problemsOf(error, file.path));
      }
    }
    for (const { id, name, type } of prunes ? [...owned.values()].flat() : []) {
      deletions.push({ action: 'delete', name, type, owner, id, changes: [], definition: null, etag: null });
    }
  }
  plan.steps.push(...deletions);
  return plan;
}

async function planFile(context: Context, plan: Plan, file: PlannedFile, agents: readonly Listed[]): Promise<void> {
  const { fleet, signal } = context;
  const { path, owner, content, allows } = file;
  const { name, type } = file as { name: string; type: Agent['type'] };
  const given = Object.keys(content).length > 0 ? content : null;
  const body = { name, type, definition: given as null };
  const { data } = await fleet().post('/agent-checks', { params: { query: allows }, body, signal });
  const { definition } = data;
  const [agent, ...others] = agents;
  if (others.length > 0) {
    plan.problems.push(`${path}: name: several agents of ${owner} have it: ${agedIds(agents)}`);
  } else if (agent) {
    const params = { path: { agent_id: agent.id }, query: { optional: true } };
    const { data: current, response } = await fleet().get('/agents/{agent_id}/definition', { params, signal });
    const changes = changesOf(current as Content | null, definition as Content | null);
    if (agent.type !== type) changes.unshift({ field: 'type', from: agent.type, to: type });
    const etag = current && response.headers.get('etag');
    const step = { action: 'change', name, type, owner, file: path, id: agent.id, changes, definition, etag } as const;
    if (changes.length > 0) plan.steps.push(step);
  } else {
    const changes = changesOf(null, definition as Content | null);
    plan.steps.push({ action: 'create', name, type, owner, file: path, changes, definition, etag: null });
    const twins = await findTwins(context, name);
    if (twins !== undefined) plan.warnings.push(`${path}: name: ${twins}`);
  }
}

/** Who has a name already, of whatever owner. */
export async function findTwins({ fleet, signal }: Context, name: string): Promise<string | undefined> {
  const query = { name, fields: 'created_at' };
  const twins = await take(fleet().paginate('/agents', { params: { query }, signal }), 5);
  return twins.length === 0 ? undefined : `other agents have it: ${agedIds(twins as Listed[])}`;
}

function agedIds(agents: readonly Pick<Listed, 'id' | 'created_at'>[]): string {
  return agents.map(({ id, created_at }) => `${id} (created ${relativeTime(created_at)})`).join(', ');
}

/** Faults that the fleet finds in a file, by field. @throws what is no such fault */
function problemsOf(error: unknown, path: string): string[] {
  if (!(error instanceof FleetError) || error.fields.length === 0) throw error;
  return error.fields.map(({ path: field, message }) => `${path}: ${field.replace(/^definition\./, '')} ${message}`);
}

/** Does what was planned. @throws FleetError 412 if the agent or its definition is another one by now */
export async function applyStep(context: Context, step: PlannedStep, query: AllowUnknownSkills): Promise<string> {
  const { fleet, signal } = context;
  const { action, name, owner, changes, definition, etag } = step;
  const type = step.type as Agent['type'];
  let { id } = step;
  if (action === 'delete') {
    await fleet().delete('/agents/{agent_id}', { params: { path: { agent_id: id as string } }, signal });
    return id as string;
  }
  if (id === undefined) {
    const created = await fleet().post('/agents', { params: { query: { owner } }, body: { name, type }, signal });
    id = created.data.id;
  }
  const path = { agent_id: id };
  if (action === 'change' && changes[0]?.field === 'type') {
    const { response } = await fleet().get('/agents/{agent_id}', { params: { path }, signal });
    const header = { 'If-Match': response.headers.get('etag') ?? undefined };
    await fleet().put('/agents/{agent_id}', { params: { path, header }, body: { name, type }, signal });
  }
  if (changes.some(({ field }) => field !== 'type')) {
    const header = { 'If-Match': etag ?? undefined };
    const body = (definition ?? {}) as object;
    await fleet().put('/agents/{agent_id}/definition', { params: { path, header, query }, body, signal });
  }
  return id;
}
