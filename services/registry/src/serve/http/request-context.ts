import type { Request, Response } from 'express';
import type { ResponseCache } from '../caching/response-cache.ts';
import type { Served } from '../served.ts';
import type { BodyStreams } from './body-streams.ts';

/** What a handler needs to respond to one request. */
export interface RequestContext {
  served: Served;
  req: Request;
  res: Response;
  cache: ResponseCache;
  streams: BodyStreams;
}
