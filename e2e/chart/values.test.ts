import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_NAMES } from '@agent-fleet/scripts/services';
import { expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { CHART, EXAMPLES, readExample } from './chart.ts';

type Values = { [name: string]: unknown };

const read = (file: string) => readFileSync(join(CHART, file), 'utf8');
const values: Values = parse(read('values.yaml'));
const isValid = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(JSON.parse(read('values.schema.json')));
/** Values whose own fields are free. */
const FREE = /^(SERVICE\.(env|affinity|nodeSelector|pod\w+)|env|.*\.(annotations|labels|requests|limits))$/;

/** The paths of all values; `SERVICE.` stands for what all four services have. */
function pathsOf(from: Values, prefix = ''): string[] {
  return Object.entries(from).flatMap(([name, value]) => {
    const path = prefix + name;
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isGroup && !FREE.test(path) ? pathsOf(value as Values, `${path}.`) : [path];
  });
}

function sharedPaths(): string[] {
  const [first = [], ...others] = SERVICE_NAMES.map((name) => pathsOf(values[name] as Values, 'SERVICE.'));
  return first.filter((path) => others.every((paths) => paths.includes(path)));
}

/** All paths, those of single services under their names. */
function documentedPaths(): string[] {
  const shared = sharedPaths();
  const service = new RegExp(`^(${SERVICE_NAMES.join('|')})(?=\\.)`);
  const own = pathsOf(values).filter((path) => !shared.includes(path.replace(service, 'SERVICE')));
  return [...shared, ...own];
}

test('values.yaml is valid', () => {
  expect(isValid(values)).toBe(true);
});

test.each(EXAMPLES)('the values of the example %s are valid', (example) => {
  isValid(parse(readExample(example)));
  expect(isValid.errors).toBeNull();
});

test('refuses a value with a wrong name or type', () => {
  const withGateway = (change: Values) => ({ ...values, gateway: { ...(values.gateway as Values), ...change } });
  const wrong = [
    withGateway({ replica: 2 }),
    withGateway({ replicas: '2' }),
    { ...values, ingres: {} },
    { ...values, fullnameOverride: 'my.fleet' },
  ];
  expect(wrong.map((one) => isValid(one))).toEqual([false, false, false, false]);
});

test('the README of the chart lists every value, and no other', () => {
  const listed = [...read('README.md').matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path),
  );
  expect(listed.sort()).toEqual(documentedPaths().sort());
});
