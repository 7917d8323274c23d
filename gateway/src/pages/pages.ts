import type { RequestHandler } from 'express';
import type { OwnPath } from '../routing/route-table.ts';
import { createRedocPage } from './redoc-page.ts';
import { createSwaggerPage } from './swagger-page.ts';
import { createWebPages } from './web-pages.ts';

/** All pages and their assets. Their paths are public, and but for `/docs` and `/redoc` no operations of the API. */
export function createPages(webRoot: string | undefined) {
  const hasWebPages = webRoot !== undefined;
  const pages = new Map([
    ...[...createSwaggerPage(hasWebPages), ...createRedocPage(hasWebPages)],
    ...(hasWebPages ? createWebPages(webRoot) : []),
  ]);
  const paths = [...pages.keys()].map((path): OwnPath => ({ path, security: 'public', method: 'get' }));
  /** Runs after routing and the check of the method. */
  const handler: RequestHandler = (req, res, next) => {
    const answer = pages.get(res.locals.route?.template ?? '');
    return answer ? answer(req, res) : next();
  };
  return { paths, handler };
}
