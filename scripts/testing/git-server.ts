import { spawn } from 'node:child_process';
import { serveUntilEnd } from './serve-until-end.ts';

export interface GitServer {
  url: string;
  /** Paths of requests so far. */
  requests: string[];
}

/**
 * Serves the repositories in a folder by `git http-backend`, at `/<name>/.git`, until the test ends; with `status` it
 * refuses all requests.
 */
export async function startGitServer(root: string, options: { status?: number } = {}): Promise<GitServer> {
  const requests: string[] = [];
  const url = await serveUntilEnd((req, res) => {
    requests.push(req.url ?? '');
    if (options.status !== undefined) {
      res.writeHead(options.status, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const [path = '', query = ''] = (req.url ?? '').split('?');
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: root,
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
  return { url, requests };
}
