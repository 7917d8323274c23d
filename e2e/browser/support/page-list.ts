import type { Seed } from './seed.ts';

/** A page of the table in docs; the address of some depends on the data. */
export interface PageCase {
  /** Of its screenshots. */
  name: string;
  path: (seed: Seed) => string;
  /** Its heading of level 1. */
  heading: (seed: Seed) => string;
  isPublic?: boolean;
}

const page = (name: string, path: string, heading: string, isPublic = false): PageCase => ({
  name,
  path: () => path,
  heading: () => heading,
  isPublic,
});

/** Every page, as one sees it with data. */
export const PAGES: readonly PageCase[] = [
  page('catalogue', '/', 'Find skills for your agents', true),
  {
    name: 'skill',
    path: ({ skill }) => `/skills/${encodeURIComponent(skill.id)}`,
    heading: ({ skill }) => skill.name,
    isPublic: true,
  },
  page('guide', '/guide/concepts', 'Concepts', true),
  page('sign-in', '/console', 'Sign in', true),
  page('overview', '/console', 'Overview'),
  page('inbox', '/console/inbox', 'Inbox'),
  page('tasks', '/console/tasks', 'Tasks'),
  page('agents', '/console/agents', 'Agents'),
  {
    name: 'agent',
    path: ({ agent }) => `/console/agents/${agent.id}`,
    heading: ({ agent }) => agent.name,
  },
  {
    name: 'task',
    path: ({ tasks: { failed } }) => `/console/agents/${failed.agent_id}/tasks/${failed.id}`,
    heading: ({ tasks: { failed } }) => failed.message,
  },
  page('workers', '/console/workers', 'Workers'),
  page('registry', '/console/registry', 'Registry'),
  page('access', '/console/access', 'Access'),
  page('access-keys', '/console/access/keys', 'Access'),
  page('access-sessions', '/console/access/sessions', 'Access'),
  page('access-audit', '/console/access/audit', 'Access'),
  page('access-account', '/console/access/account', 'Access'),
];
