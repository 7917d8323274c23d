import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@agent-fleet/scripts/local/ports';
import type { Part, Stage } from '../stage/stage.ts';
import { findProgram } from './programs.ts';

const HAPROXY = findProgram('haproxy');
export const hasHaproxy = HAPROXY !== undefined;

interface TokenRules {
  JWT_SECRET: string;
  JWT_ISSUER: string;
  JWT_AUDIENCE: string;
}

/** HAProxy on one thread; it checks the bearer token's algorithm, signature, issuer, audience and expiry. */
export async function startHaproxy(
  stage: Stage,
  name: string,
  target: number,
  ready: Part['ready'],
  rules: TokenRules,
): Promise<number> {
  const port = await freePort();
  const file = join(stage.dir, `${name}.cfg`);
  await writeFile(file, configuration(port, target, rules));
  await stage.start({ name, command: HAPROXY ?? 'haproxy', args: ['-db', '-f', file], port, ready });
  return port;
}

function configuration(port: number, target: number, { JWT_SECRET, JWT_ISSUER, JWT_AUDIENCE }: TokenRules): string {
  const deny = 'http-request deny deny_status 401 unless';
  return `global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend in
  bind 127.0.0.1:${port}
  http-request set-var(txn.bearer) http_auth_bearer
  http-request set-var(txn.alg) var(txn.bearer),jwt_header_query('$.alg')
  http-request set-var(txn.now) date()
  ${deny} { var(txn.alg) -m str HS256 }
  ${deny} { var(txn.bearer),jwt_payload_query('$.iss') -m str ${JWT_ISSUER} }
  ${deny} { var(txn.bearer),jwt_payload_query('$.aud') -m str ${JWT_AUDIENCE} }
  ${deny} { var(txn.bearer),jwt_payload_query('$.exp','int'),sub(txn.now) -m int gt 0 }
  ${deny} { var(txn.bearer),jwt_verify(txn.alg,"${JWT_SECRET}") -m int 1 }
  default_backend target
backend target
  server target 127.0.0.1:${target}
`;
}
