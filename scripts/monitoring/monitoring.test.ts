import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../services.ts';
import { ownFolder } from '../testing/own-folder.ts';
import {
  PROMETHEUS,
  RULE_FILES,
  readAlerts,
  readDashboards,
  readExpressions,
  readRuleTests,
  TEST_FILES,
} from './monitoring-files.ts';
import { findPromtool } from './promtool.ts';

const alerts = readAlerts();
const names = alerts.map(({ alert }) => alert);
const promtool = findPromtool();
if ('missing' in promtool) console.info(`Alert rules are not tested: ${promtool.missing}`);
/** Skipped where promtool cannot be had, but not in CI. */
const withPromtool = 'missing' in promtool && process.env.CI !== 'true' ? test.skip : test;

/** Its exit code and output. */
function run(...args: string[]): { status: number | null; output: string } {
  const path = 'path' in promtool ? promtool.path : 'promtool';
  const { status, stdout, stderr } = spawnSync(path, args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

test('each alert has a severity, a summary and its entry in the runbook', () => {
  const headings = [...readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8').matchAll(/^### (\w+)$/gm)];
  expect(headings.map(([, name]) => name)).toEqual(expect.arrayContaining(names));
  expect(headings).toHaveLength(names.length);
  for (const { alert, labels, annotations } of alerts) {
    expect(['critical', 'warning']).toContain(labels.severity);
    expect(annotations.summary).toMatch(/^[A-Z].*\.$/);
    expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
  }
});

test('each alert has a test in which it fires and one in which it does not', () => {
  const tests = readRuleTests().flatMap(({ alert_rule_test }) => alert_rule_test);
  const named = (fires: boolean) =>
    tests.filter(({ exp_alerts }) => exp_alerts.length > 0 === fires).map(({ alertname }) => alertname);
  expect(named(true)).toEqual(expect.arrayContaining(names));
  expect(named(false)).toEqual(expect.arrayContaining(names));
});

withPromtool('the alerts fire and stay quiet as their tests say', () => {
  expect(run('test', 'rules', ...TEST_FILES)).toMatchObject({ status: 0 });
});

withPromtool('Prometheus takes the rules, its configuration and the queries of the dashboards', () => {
  const file = join(ownFolder(), 'queries.yml');
  const rules = readExpressions().map((expr, at) => ({ record: `query:${at}`, expr }));
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules }] }));
  expect(run('check', 'rules', ...RULE_FILES, file)).toMatchObject({ status: 0 });
  expect(run('check', 'config', '--syntax-only', join(PROMETHEUS, 'prometheus.yml'))).toMatchObject({ status: 0 });
});

test('the panels of a dashboard have ids of their own, queries, and places that do not overlap', () => {
  for (const { uid, title, panels } of readDashboards()) {
    expect([uid, title]).toEqual([expect.stringMatching(/^[\w-]+$/), expect.any(String)]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const places = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    );
    expect(new Set(places).size).toBe(places.length);
    for (const { type, targets = [] } of panels) expect(targets.length > 0).toBe(type !== 'row');
  }
});
