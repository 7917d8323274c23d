import type { components } from '@agent-fleet/sdk';
import { relativeTime } from '@agent-fleet/sdk/words';
import type { Command } from 'commander';
import type { Act, Context } from '../context.ts';
import { CliError, EXIT, usageError } from '../errors.ts';
import { findId, take, toLimit } from '../lookup.ts';
import type { Column } from '../output/table.ts';

type User = components['schemas']['User'];
type Role = User['role'];

const COLUMNS: Column<User>[] = [
  { title: 'ID', value: ({ id }) => id, isWhole: true },
  { title: 'E-MAIL', value: ({ email }) => email },
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'STATE', value: ({ disabled }) => (disabled ? 'disabled' : 'enabled') },
  { title: 'LAST SIGN-IN', value: ({ last_sign_in_at }) => relativeTime(last_sign_in_at) || 'never' },
];
const MAX_USERS = 10_000;

const toLines =
  ({ out }: Context) =>
  ({ id, email, role, disabled, created_at, last_sign_in_at }: User) =>
    out.fields([
      ['id', id],
      ['e-mail', email],
      ['role', role],
      ['state', disabled ? 'disabled' : 'enabled'],
      ['created', `${relativeTime(created_at)} (${created_at})`],
      ['last sign-in', last_sign_in_at ?? 'never'],
    ]);

async function list({ fleet, out, signal }: Context, options: { limit: string }): Promise<void> {
  const { limit, size } = toLimit(options.limit, MAX_USERS);
  const users = await take(fleet().paginate('/users', { params: { query: { limit: size } }, signal }), limit);
  out.list(users, COLUMNS, 'No users.');
}

/** A user by id or e-mail, with its entity tag. */
async function find({ fleet, signal }: Context, ref: string): Promise<{ user: User; etag: string | null }> {
  const users = fleet().paginate('/users', { params: { query: { limit: 1_000 } }, signal });
  let id = ref;
  if (ref.includes('@')) {
    const found = (await take(users, MAX_USERS)).find(({ email }) => email.toLowerCase() === ref.toLowerCase());
    if (!found) throw new CliError(EXIT.failed, 'not_found', `There is no user ${ref}`, 'fleet users list shows all.');
    id = found.id;
  }
  const { data, response } = await fleet().get('/users/{user_id}', {
    params: { path: { user_id: await findId('users', id, users) } },
    signal,
  });
  return { user: data, etag: response.headers.get('etag') };
}

async function show(context: Context, ref: string): Promise<void> {
  context.out.record((await find(context, ref)).user, toLines(context));
}

/** Without a password: the user sets it with a code, and nobody else knows it. */
async function create(context: Context, email: string, { role }: { role: string }): Promise<void> {
  const { fleet, out, signal } = context;
  const { data: user } = await fleet().post('/users', { body: { email, role: role as Role }, signal });
  const { data: reset } = await fleet().post('/users/{user_id}/password-resets', {
    params: { path: { user_id: user.id } },
    signal,
  });
  out.record({ ...user, reset_code: reset.code, reset_expires_at: reset.expires_at }, (record) => [
    ...toLines(context)(record),
    '',
    `${email} sets a password with this code, which works once, until ${reset.expires_at}:`,
    reset.code,
  ]);
}

async function reset(context: Context, ref: string): Promise<void> {
  const { fleet, out, signal } = context;
  const { user } = await find(context, ref);
  const path = { user_id: user.id };
  const { data } = await fleet().post('/users/{user_id}/password-resets', { params: { path }, signal });
  out.record({ id: user.id, ...data }, () => [`${data.code}`, `It works once, until ${data.expires_at}.`]);
}

/** `If-Match`, so that a change by another in between is not lost. */
async function replace(context: Context, ref: string, change: Partial<Pick<User, 'role' | 'disabled'>>): Promise<void> {
  const { fleet, out, signal } = context;
  const { user, etag } = await find(context, ref);
  const { data } = await fleet().put('/users/{user_id}', {
    params: { path: { user_id: user.id }, header: { 'If-Match': etag ?? undefined } },
    body: { role: change.role ?? user.role, disabled: change.disabled ?? user.disabled },
    signal,
  });
  out.record(data, toLines(context));
}

async function setRole(context: Context, ref: string, role: string): Promise<void> {
  if (!/^[a-z]+$/.test(role)) throw usageError(`${role} is not a role`);
  await replace(context, ref, { role: role as Role });
}

async function disable(context: Context, ref: string): Promise<void> {
  await context.confirm(`Disable ${ref}, and end all sessions and keys of that user?`);
  await replace(context, ref, { disabled: true });
}

async function remove(context: Context, ref: string): Promise<void> {
  const { fleet, out, signal } = context;
  const { user } = await find(context, ref);
  await context.confirm(`Delete the user ${user.email}?`);
  await fleet().delete('/users/{user_id}', { params: { path: { user_id: user.id } }, signal });
  out.record({ id: user.id, deleted: true }, () => [`Deleted ${user.email}`]);
}

export function registerUsers(users: Command, act: Act): void {
  users
    .command('list')
    .description('list users')
    .option('--limit <n>', 'list at most this many', '1000')
    .action(act(list));
  users.command('show <user>').description('show a user, by id or e-mail').action(act(show));
  users
    .command('create <e-mail>')
    .description('create a user and a code with which the user sets a password')
    .option('--role <role>', 'viewer, worker, approver, operator or admin', 'viewer')
    .action(act(create));
  users.command('reset <user>').description('make a new code for a new password').action(act(reset));
  users.command('role <user> <role>').description('give a user another role').action(act(setRole));
  users.command('disable <user>').description('end all sign-ins and keys of a user').action(act(disable));
  users
    .command('enable <user>')
    .description('allow a disabled user to sign in again')
    .action(act((context: Context, ref: string) => replace(context, ref, { disabled: false })));
  users.command('delete <user>').description('delete a user').action(act(remove));
}
