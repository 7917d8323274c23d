import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findOnPath, installSystemPackage } from '@agent-fleet/scripts/local/system-packages';
import type { Stage } from '../stage/stage.ts';

const run = promisify(execFile);

export const CONNECTIONS = 64;
/** How long a load generator may run beyond the seconds of load. */
const GRACE_MS = 15_000;

export interface LoadRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Expected status, default 200. */
  status?: number;
  /**
   * Sent after each 201 response to this request, with the first `id` and `token` of that response in place of `{id}`
   * and `{token}`. No other request may receive a token.
   */
  follower?: LoadRequest;
}

interface Load {
  port: number;
  /** Sent in turn, repeatedly. */
  requests: LoadRequest[];
  seconds: number;
}

export interface Figures {
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** Loads a server over 64 connections from a separate process. @throws if a response is not as expected */
export interface LoadGenerator {
  load(load: Load): Promise<Figures>;
}

/** Output of wrk.lua: times in ms; `failed` counts broken connections, timeouts and statuses of 400 or more. */
interface Printed {
  requests: number;
  seconds: number;
  p50: number;
  p99: number;
  failed: number;
}

/** Uses wrk, and installs it if that needs no prompt. @throws without it */
export async function findLoadGenerator(stage: Stage): Promise<LoadGenerator> {
  const wrk =
    findOnPath(['wrk']) ??
    (installSystemPackage({ 'apt-get': 'wrk', brew: 'wrk' }, console.log) ? findOnPath(['wrk']) : undefined);
  if (!wrk) throw new Error('wrk is missing: `apt-get install wrk` or `brew install wrk` installs it');
  return { load: (load) => measure(stage, load, wrk) };
}

async function measure({ dir, signal }: Stage, load: Load, wrk: string): Promise<Figures> {
  for (const request of load.requests.slice(0, 20)) await check(load.port, request, signal);
  const file = join(dir, 'requests');
  const followerFile = join(dir, 'follower');
  const url = `http://127.0.0.1:${load.port}`;
  const options = { signal, timeout: load.seconds * 1_000 + GRACE_MS };
  await writeFile(file, load.requests.map(toText).join('\0'));
  const follower = load.requests.find((request) => request.follower)?.follower;
  if (follower) await writeFile(followerFile, toFollowerText(follower));
  const files = follower ? [file, followerFile] : [file];
  const { stdout } = await run(wrk, toWrkArguments(load.seconds, url, files), options);
  const { requests, seconds, p50, p99, failed } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Printed;
  if (failed > 0 || requests === 0) throw new Error(`${failed} of ${requests} requests failed: ${describe(load)}`);
  return { requests, perSecond: requests / seconds, p50Ms: p50, p99Ms: p99 };
}

function toWrkArguments(seconds: number, url: string, files: string[]): string[] {
  const script = join(import.meta.dirname, 'wrk.lua');
  return ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout=10s', '-s', script, url, '--', ...files];
}

/** Returns the request as HTTP/1.1 text. */
export function toText({ method = 'GET', path, headers = {}, body }: LoadRequest): string {
  const all = { host: '127.0.0.1', ...(body && { 'content-length': Buffer.byteLength(body) }), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}

function toFollowerText(request: LoadRequest): string {
  return toText({ ...request, headers: { ...request.headers, 'content-length': '{length}' } });
}

/** Checks the status of a single response before the load, because wrk accepts any 2xx or 3xx. */
async function check(port: number, request: LoadRequest, signal: AbortSignal): Promise<void> {
  const { method, path, headers, body, status = 200 } = request;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body, signal });
  const text = await response.text();
  if (response.status !== status) throw new Error(`${method ?? 'GET'} ${path}: ${response.status} ${text}`);
}

function describe({ port, requests: [first] }: Load): string {
  return `${first?.method ?? 'GET'} ${first?.path} on port ${port}`;
}
