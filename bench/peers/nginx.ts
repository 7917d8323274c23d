import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { findOnPath } from '@agent-fleet/scripts/local/system-packages';
import type { Part, Stage } from '../stage/stage.ts';
import { document, LARGE, SMALL } from '../upstream/responses.ts';

/** Not installed for the sake of a benchmark: Debian's package starts a web server on port 80. */
const NGINX = findOnPath(['nginx']) ?? ['/usr/sbin/nginx'].find((path) => existsSync(path));

export const hasNginx = NGINX !== undefined;

/** nginx as a bare proxy: one worker, connections kept alive on both sides, no access log; `directives` are what is not its default. */
export function startNginxProxy(
  stage: Stage,
  name: string,
  target: number,
  ready: Part['ready'],
  directives = '',
): Promise<number> {
  const proxy = (port: number) => `
  ${directives}
  upstream target {
    server 127.0.0.1:${target};
    keepalive 64;
    keepalive_requests 1000000;
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://target;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }`;
  return start(stage, name, ready, proxy);
}

/** nginx as the upstream, for its two answers: before one on Node, nginx as a proxy does two thirds of what it does before this (measured). */
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

/** Whoever is not root needs no `user`, and nginx then ignores it; root's worker would not be let into the folder otherwise. */
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
