import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../services.ts';

const MONITORING = join(ROOT, 'deploy/monitoring');
export const PROMETHEUS = join(MONITORING, 'prometheus');
const DASHBOARDS = join(MONITORING, 'grafana/dashboards');

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

interface RuleTest {
  alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
}

interface Panel {
  id: number;
  title: string;
  type: string;
  gridPos: { h: number; w: number; x: number; y: number };
  targets?: { expr: string }[];
}

interface Dashboard {
  uid: string;
  title: string;
  panels: Panel[];
}

const filesIn = (dir: string) => readdirSync(dir).map((name) => join(dir, name));

export const RULE_FILES = filesIn(join(PROMETHEUS, 'rules'));
export const TEST_FILES = filesIn(join(PROMETHEUS, 'tests'));

const readYaml = (file: string) => parse(readFileSync(file, 'utf8'), { merge: true });

export function readAlerts(): Alert[] {
  return RULE_FILES.flatMap((file) => readYaml(file).groups.flatMap(({ rules }: { rules: Alert[] }) => rules));
}

export function readRuleTests(): RuleTest[] {
  return TEST_FILES.flatMap((file) => readYaml(file).tests as RuleTest[]);
}

export function readDashboards(): Dashboard[] {
  return filesIn(DASHBOARDS).map((file) => JSON.parse(readFileSync(file, 'utf8')) as Dashboard);
}

/** Every query of the alert rules and dashboards. Grafana sets `$__rate_interval`. */
export function readExpressions(): string[] {
  const ofPanels = readDashboards().flatMap(({ panels }) => panels.flatMap(({ targets = [] }) => targets));
  return [...readAlerts(), ...ofPanels].map(({ expr }) => expr.replaceAll('$__rate_interval', '1m'));
}
