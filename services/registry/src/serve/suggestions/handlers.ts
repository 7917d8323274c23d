import type { Request, Response } from 'express';
import type { Served } from '../../publish/served.ts';
import { digestOf } from '../http/representation.ts';
import { encodeSmall, sendSmall } from '../http/small-body.ts';
import type { SuggestionQuery } from './contract.ts';

const DEFAULT_LIMIT = 10;

/** `GET /api/suggestions` */
export async function sendSuggestions(
  served: Served,
  { q, limit = DEFAULT_LIMIT }: SuggestionQuery,
  req: Request,
  res: Response,
): Promise<undefined> {
  const key = `suggestions ${limit} ${q}`;
  const { json, digest } = await served.results.get(key, () => suggest(served, q, limit));
  return sendSmall(req, res, digest, served.meta.at, (wanted) =>
    served.results.get(`${wanted} ${key}`, () => encodeSmall(json, wanted)),
  );
}

function suggest({ search, skills }: Served, q: string, limit: number) {
  const suggestions = search.suggest(q, limit).map(({ text, kind, row, count }) => ({
    text,
    kind,
    ...(row !== undefined && { id: skills.idAt(row) }),
    ...(count !== undefined && { count }),
  }));
  const json = Buffer.from(JSON.stringify({ suggestions }));
  return { json, digest: digestOf(json), bytes: json.length };
}
