import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from '@jest/globals';
import type { Workspace } from './workspace.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const AUTHOR = ['-c', 'user.email=author@example.com', '-c', 'user.name=Author', '-c', 'core.autocrlf=false'];

export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', ['-C', folder, ...AUTHOR, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Writes files into a repository of the workspace, which is created if it is missing, and commits them. */
export function commitFiles(workspace: Workspace, name: string, files: Record<string, string | Buffer>): string {
  const folder = workspace.write(files, name);
  git(folder, 'init', '--quiet', '--initial-branch=main');
  git(folder, 'config', 'uploadpack.allowFilter', 'true');
  git(folder, 'add', '--all', '--force', '.');
  git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Change');
  return git(folder, 'rev-parse', 'HEAD').trim();
}

export interface GitServer {
  url: string;
  /** Paths of requests so far. */
  requests: string[];
}

/** Serves the repositories of a workspace by `git http-backend`, at `/<name>/.git`. */
export async function startGitServer(workspace: Workspace, options: { status?: number } = {}): Promise<GitServer> {
  const requests: string[] = [];
  const server = createServer((req, res) => {
    requests.push(req.url ?? '');
    if (options.status !== undefined) {
      res.writeHead(options.status, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const [path = '', query = ''] = (req.url ?? '').split('?');
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: workspace.root,
        GIT_HTTP_EXPORT_ALL: '1',
        REQUEST_METHOD: req.method,
        PATH_INFO: decodeURIComponent(path),
        QUERY_STRING: query,
        CONTENT_TYPE: req.headers['content-type'] ?? '',
        CONTENT_LENGTH: req.headers['content-length'] ?? '',
        HTTP_CONTENT_ENCODING: String(req.headers['content-encoding'] ?? ''),
        GIT_PROTOCOL: String(req.headers['git-protocol'] ?? ''),
        REMOTE_ADDR: '127.0.0.1',
      },
    });
    req.pipe(backend.stdin);
    backend.stdin.on('error', () => {});
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    backend.on('close', () => {
      const output = Buffer.concat(chunks);
      const end = output.indexOf('\r\n\r\n');
      for (const line of output.subarray(0, end).toString('latin1').split('\r\n')) {
        const [name = '', value = ''] = line.split(': ');
        if (name === 'Status') res.statusCode = Number.parseInt(value, 10);
        else res.setHeader(name, value);
      }
      res.end(output.subarray(end + 4));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
