import { writeFile } from 'node:fs/promises';
import { type IncomingMessage, request as startRequest } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '@agent-fleet/scripts/services';
import type { Figures, LoadRequest } from '../load/load.ts';
import { alternate } from '../load/rounds.ts';
import type { Stage } from '../stage/stage.ts';
import { INTERNAL, type RegistryStage } from './registry-stage.ts';

/** The whole list is sent only a few dozen times per second. */
const SECONDS = { whole: 4, notModified: 2 };
const ROUNDS = 7;
const EXPRESS = 'bench/registry/express-process.ts';
/** Headers that Express copies into its response. */
const COPIED_HEADERS = ['content-type', 'content-encoding', 'etag', 'cache-control', 'vary'];

export interface Compared {
  own: Figures;
  express: Figures;
}

export interface Listing {
  /** Bytes of the whole list in br. */
  bytes: number;
  whole: Compared;
  notModified: Compared;
}

/** The list as a response body, with its headers. */
interface List {
  body: Buffer;
  headers: Record<string, string>;
}

/**
 * How fast does the service send the whole list, and a 304 for it, compared with bare Express that sends the same
 * buffer, or an empty 304?
 */
export async function measureListing(on: RegistryStage): Promise<Listing> {
  const headers = { ...INTERNAL, 'accept-encoding': 'br' };
  const list = await readList(on.ports.registry, headers);
  const express = await startExpress(on.stage, list);
  const known = { ...headers, 'if-none-match': list.headers.etag ?? '' };
  const toList: LoadRequest = { path: '/api/skills', headers };
  const ifChanged: LoadRequest = { path: '/api/skills', headers: known, status: 304 };
  return {
    bytes: list.body.length,
    whole: await compare(on, express, { own: toList, express: toList }, SECONDS.whole),
    notModified: await compare(
      on,
      express,
      { own: ifChanged, express: { ...ifChanged, path: '/nothing' } },
      SECONDS.notModified,
    ),
  };
}

async function compare(
  { generator, ports }: RegistryStage,
  expressPort: number,
  requests: Record<keyof Compared, LoadRequest>,
  seconds: number,
): Promise<Compared> {
  const portOf = { own: ports.registry, express: expressPort };
  const contestants = (['own', 'express'] as const).map((name) => ({
    name,
    run: () => generator.load({ port: portOf[name], requests: [requests[name]], seconds }),
  }));
  const { own, express } = Object.fromEntries(await alternate(contestants, ROUNDS));
  if (!own || !express) throw new Error('There are no figures');
  return { own, express };
}

async function startExpress(stage: Stage, { body, headers }: List): Promise<number> {
  const file = join(stage.dir, 'list');
  await writeFile(file, body);
  const env = { ...NODE_ENVIRONMENT, BODY_FILE: file, BODY_HEADERS: JSON.stringify(headers) };
  return await stage.startNode('express', EXPRESS, env, { path: '/ready' }, NODE_FLAGS);
}

/** @throws if the list has no br coding or no ETag */
export async function readList(port: number, headers: Record<string, string>): Promise<List> {
  const options = { host: '127.0.0.1', port, path: '/api/skills', headers, agent: false };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    startRequest(options, resolve).on('error', reject).end();
  });
  const body = await buffer(response);
  const sent = COPIED_HEADERS.map((name) => [name, response.headers[name]]).filter(([, value]) => value !== undefined);
  const list: List = { body, headers: Object.fromEntries(sent) };
  if (response.statusCode !== 200 || list.headers['content-encoding'] !== 'br' || !list.headers.etag)
    throw new Error(`GET /api/skills: ${response.statusCode} ${JSON.stringify(response.headers)}`);
  return list;
}
