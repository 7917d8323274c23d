import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@agent-fleet/scripts/local/ports';
import type { Part, Stage } from '../stage/stage.ts';
import { document, LARGE, SMALL } from '../upstream/responses.ts';
import { findProgram } from './programs.ts';

const NGINX = findProgram('nginx');
export const hasNginx = NGINX !== undefined;

/** Directives to add to the defaults of nginx. */
export interface NginxProxyOptions {
  directives?: string;
  /** Port of the server that `auth_request` calls for each request. */
  authPort?: number;
}

/** nginx as a plain proxy: one worker, kept-alive connections on both sides, no access log. */
export function startNginxProxy(
  stage: Stage,
  name: string,
  target: number,
  ready: Part['ready'],
  { directives = '', authPort }: NginxProxyOptions = {},
): Promise<number> {
  const proxy = (port: number) => `
  ${directives}
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  ${toUpstream('target', target)}
  ${authPort === undefined ? '' : toUpstream('check', authPort)}
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      ${authPort === undefined ? '' : 'auth_request /check;'}
      proxy_pass http://target;
    }
    ${authPort === undefined ? '' : CHECK_LOCATION}
  }`;
  return start(stage, name, ready, proxy);
}

function toUpstream(name: string, port: number): string {
  return `upstream ${name} { server 127.0.0.1:${port}; keepalive 64; keepalive_requests 1000000; }`;
}

const CHECK_LOCATION = `location = /check {
      internal;
      proxy_pass http://check;
      proxy_pass_request_body off;
      proxy_set_header Connection "";
      proxy_set_header Content-Length "";
    }`;

/**
 * nginx as the upstream for the two JSON responses. With an upstream on Node, nginx as a proxy reaches only two thirds
 * of this rate (measured).
 */
export function startNginxUpstream(stage: Stage): Promise<number> {
  const files = { tasks: LARGE, 'openapi.json': Buffer.from(JSON.stringify(document())) };
  const upstream = (port: number, dir: string) => `
  default_type application/json;
  sendfile on;
  tcp_nopush on;
  open_file_cache max=10;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    root ${dir};
    location ~ ^/agents/[^/]+/tasks$ { rewrite ^ /tasks break; }
    location /agents/ { return 200 '${SMALL}'; }
    location = /ready { return 200 ok; }
    location = /openapi.json { }
  }`;
  return start(stage, 'nginx-upstream', { path: '/ready' }, upstream, files);
}

async function start(
  stage: Stage,
  name: string,
  ready: Part['ready'],
  toHttp: (port: number, dir: string) => string,
  files: Record<string, Buffer> = {},
): Promise<number> {
  const port = await freePort();
  const dir = join(stage.dir, name);
  await mkdir(dir);
  const all = { 'nginx.conf': configuration(toHttp(port, dir)), ...files };
  for (const [file, content] of Object.entries(all)) await writeFile(join(dir, file), content);
  const args = ['-p', dir, '-c', 'nginx.conf', '-e', 'stderr'];
  await stage.start({ name, command: NGINX ?? 'nginx', args, port, ready });
  return port;
}

/** nginx ignores `user` unless root starts it. Without it, root's worker processes could not read the folder. */
function configuration(http: string): string {
  return `daemon off;
user root;
worker_processes 1;
pid nginx.pid;
worker_rlimit_nofile 16384;
events { worker_connections 16384; }
http {
  access_log off;
  keepalive_requests 1000000;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
${http}
}
`;
}
