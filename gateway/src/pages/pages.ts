import { refuseMethod } from '@agent-fleet/shared/contract/router';
import type { RequestHandler } from 'express';
import type { OwnPath } from '../routing/routes.ts';
import { createRedocPage } from './redoc-page.ts';
import { type Answer, answerFile, type Pages } from './static-file.ts';
import { createSwaggerPage } from './swagger-page.ts';
import { readWebFiles, SHELLS } from './web-files.ts';

const ALLOWED = 'GET, HEAD, OPTIONS';
const { catalogue, console } = SHELLS;
/** What is below is up to the application. */
const SHELL_PATHS = [
  ['/', catalogue],
  ['/skills/*', catalogue],
  ['/guide', catalogue],
  ['/guide/*', catalogue],
  ['/console', console],
  ['/console/*', console],
] as const;

/**
 * All pages and their assets; for `prefix` see `withPrefix`. Their paths are public, and but for `/docs` and `/redoc`
 * no operations of the API.
 */
export function createPages(webRoot: string | undefined, prefix = '') {
  const hasWebPages = webRoot !== undefined;
  const pages = new Map([
    ...[...createSwaggerPage(hasWebPages, prefix), ...createRedocPage(hasWebPages, prefix)],
    ...(hasWebPages ? createWebPages(webRoot, prefix) : []),
  ]);
  const paths = [...pages.keys()].map((path): OwnPath => ({ path, security: 'public' }));
  /** Runs after routing. */
  const handler: RequestHandler = (req, res, next) => {
    const answer = pages.get(res.locals.route?.template ?? '');
    if (!answer) return next();
    return req.method === 'GET' || req.method === 'HEAD' ? answer(req, res) : refuseMethod(ALLOWED, req, res);
  };
  return { paths, handler };
}

/** The catalogue and the console, built in the folder `root`, and their assets. */
function createWebPages(root: string, prefix: string): Pages {
  const answers = new Map([...readWebFiles(root, prefix)].map(([name, file]) => [name, answerFile(file)]));
  const shells = SHELL_PATHS.map(([path, name]): [string, Answer] => [path, answers.get(name) as Answer]);
  const others = [...answers].filter(([name]) => name !== catalogue && name !== console);
  return new Map([...shells, ...others.map(([name, answer]): [string, Answer] => [`/${name}`, answer])]);
}
