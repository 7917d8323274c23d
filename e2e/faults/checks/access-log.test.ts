import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { expect, test } from '@jest/globals';
import { Ledger } from '../clients/ledger.ts';
import { checkAccessLog } from './access-log.ts';

const NAMED = '{"status":503,"error":"unavailable","rejected_by":"redis_away","msg":"request"}';
const MISSING = '{"status":503,"msg":"request"}';
const EMPTY = '{"status":503,"error":"","rejected_by":"","msg":"request"}';
const SERVICE = '{"status":503,"error":"unavailable","rejected_by":"service","msg":"request"}';
const OTHERS = [
  '{"status":200,"msg":"request"}',
  '{"err":{"status":503},"msg":"request failed"}',
  'Server gateways/gateway-1 is DOWN',
  '{"status":503,"err',
];

test('a 503 whose line in the access log does not name its cause is a violation', async () => {
  const dir = ownFolder();
  const ledger = new Ledger(dir);
  const file = join(dir, 'gateway-1.log');
  const check = (...lines: string[]) => {
    writeFileSync(file, lines.join('\n'));
    checkAccessLog(ledger, file);
    return ledger.violations.splice(0);
  };
  expect(check(NAMED, ...OTHERS)).toEqual([]);
  for (const line of [MISSING, EMPTY, SERVICE]) {
    expect(check(NAMED, line, ...OTHERS)).toEqual([expect.stringContaining(line)]);
  }
  writeFileSync(`${file}.1`, MISSING);
  expect(check(NAMED)).toEqual([expect.stringContaining('gateway-1.log')]);
  await ledger.close();
});
