import { detailError } from '@agent-fleet/shared/errors';
import { pageHeaders } from '@agent-fleet/shared/paging';
import type { Request, Response } from 'express';
import { answerRepresentation, answerVariant, encodeText } from '../http/answer.ts';
import type { CachedAnswer } from '../http/answer-cache.ts';
import { type Coding, negotiateCoding } from '../http/encoding.ts';
import { joinSkills, type Served } from '../snapshots/served.ts';
import type { ListQuery } from './contract.ts';
import { findSkills } from './search.ts';

/** `GET /api/skills`: the whole list is encoded already, whatever is filtered, ordered or cut is made here. */
export async function answerList(served: Served, query: ListQuery, req: Request, res: Response): Promise<undefined> {
  const lastModified = served.meta.fetchedAt;
  if (Object.values(query).every((value) => value === undefined || value === 0)) {
    setPageHeaders(req, res, query, served.index.skills.length);
    answerRepresentation(req, res, served.skills, lastModified);
    return;
  }
  const coding = negotiateCoding(req);
  const key = `${coding} ${JSON.stringify(query)}`;
  const answer = await served.answers.get(key, () => makePage(served, query, coding));
  setPageHeaders(req, res, query, answer.total);
  answerVariant(req, res, answer, lastModified);
}

async function makePage(served: Served, query: ListQuery, coding: Coding): Promise<CachedAnswer> {
  const found = findSkills(served.index, query);
  const { skip, limit } = query;
  const page = found.slice(skip, limit === undefined ? undefined : skip + limit);
  return { ...(await encodeText(joinSkills(page), coding)), total: found.length };
}

/** Without a limit there are no pages to link to. */
function setPageHeaders(req: Request, res: Response, { skip, limit }: ListQuery, total: number): void {
  const headers =
    limit === undefined ? { 'x-total-count': String(total) } : pageHeaders(req.originalUrl, { skip, limit }, total);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

/** `GET /api/skills/{skill_id}`. @throws 404 with `detail` */
export async function answerSkill(served: Served, id: string, req: Request, res: Response): Promise<undefined> {
  const skill = served.index.byId.get(id);
  if (skill === undefined) throw detailError(404, 'Skill not found');
  answerVariant(req, res, await encodeText(skill.json, negotiateCoding(req)), served.meta.fetchedAt);
}
