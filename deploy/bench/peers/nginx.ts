import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@agent-fleet/shared/ports';
import { findOnPath } from '@agent-fleet/shared/system-packages';
import type { Part, Stage } from '../stage.ts';

/** Not installed for the sake of a benchmark: Debian's package starts a web server on port 80. */
const NGINX = findOnPath(['nginx']) ?? ['/usr/sbin/nginx'].find((path) => existsSync(path));

/** nginx as a bare proxy, one worker, connections kept alive on both sides, no access log; undefined where it is not installed. */
export async function startNginx(stage: Stage, target: number, ready: Part['ready']): Promise<number | undefined> {
  if (NGINX === undefined) return undefined;
  const port = await freePort();
  const dir = join(stage.dir, 'nginx');
  await mkdir(dir);
  await writeFile(join(dir, 'nginx.conf'), configuration(port, target));
  const args = ['-p', dir, '-c', 'nginx.conf', '-e', 'stderr'];
  await stage.start({ name: 'nginx', command: NGINX, args, port, ready });
  return port;
}

function configuration(port: number, target: number): string {
  return `daemon off;
worker_processes 1;
pid nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_requests 1000000;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  upstream agents {
    server 127.0.0.1:${target};
    keepalive 64;
    keepalive_requests 1000000;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://agents;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;
}
