import { describe, expect, test } from '@jest/globals';
import { type Packages, planInstallation } from './packages.mjs';

const OTHER_PLATFORM = process.platform === 'linux' ? 'darwin' : 'linux';
const LOCKED: Packages = {
  '': { optionalDependencies: { 'node-here': '26.0.0', 'node-there': '26.0.0' } },
  gateway: { version: '1.0.0' },
  'node_modules/@agent-fleet/gateway': { link: true },
  'node_modules/express': { version: '5.0.0' },
  'node_modules/fsevents': { version: '2.0.0', optional: true },
  'node_modules/jest': { version: '30.0.0', dev: true },
  'node_modules/node-here': { version: '26.0.0', optional: true, os: process.platform, cpu: [process.arch] },
  'node_modules/node-there': { version: '26.0.0', optional: true, os: OTHER_PLATFORM, cpu: [process.arch] },
  'node_modules/react': { version: '19.0.0', peer: true },
};
const pick = (...names: string[]): Packages =>
  Object.fromEntries(names.map((name) => [`node_modules/${name}`, LOCKED[`node_modules/${name}`] ?? {}]));
const TO_RUN = pick('@agent-fleet/gateway', 'express', 'node-here');
const ALL = { ...TO_RUN, ...pick('jest') };
const OLDER = { 'node_modules/express': { version: '4.0.0' } };

const CI_TO_RUN = ['ci', '--ignore-scripts', '--omit=peer', '--omit=dev'];
const CI_ALL = ['ci', '--ignore-scripts', '--omit=peer', '--include=dev'];
const ADD = ['install', '--no-save', '--ignore-scripts', '--omit=peer', '--include=dev'];

describe.each([
  ['in a new clone', {}, CI_TO_RUN, CI_ALL],
  ['after npm start', TO_RUN, undefined, ADD],
  ['after npm test', ALL, undefined, undefined],
  ['after npm start of an older version', { ...TO_RUN, ...OLDER }, CI_TO_RUN, CI_ALL],
  ['after npm test of an older version', { ...ALL, ...OLDER }, CI_ALL, CI_ALL],
  ['after a failed download of Node', pick('@agent-fleet/gateway', 'express'), CI_TO_RUN, CI_ALL],
  ['with an older package of tests only', { ...ALL, 'node_modules/jest': { version: '29.0.0' } }, undefined, ADD],
])('%s', (_, installed, ofStart, ofTests) => {
  test.each([
    ['npm start', true, ofStart],
    ['npm test', false, ofTests],
  ])('%s installs what is missing', (_command, toRun, args) => {
    expect(planInstallation({ locked: LOCKED, installed, toRun })?.args).toEqual(args);
  });
});

test('tells what will be installed, and how much', () => {
  expect(planInstallation({ locked: LOCKED, installed: {}, toRun: true })?.what).toMatch(
    /^Installing 3 packages to run the fleet \(about \d+ MB on disk, up to \d+ MB to download\)$/,
  );
  expect(planInstallation({ locked: LOCKED, installed: TO_RUN, toRun: false })?.what).toMatch(
    /^Installing 1 more packages \(about \d+ MB on disk\)$/,
  );
});
