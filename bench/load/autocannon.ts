// Loads a server with the requests of a file, in a process of its own, and prints the figures as one line of JSON.
import { readFileSync } from 'node:fs';
import autocannon, { type Request } from 'autocannon';
import type { Load, LoadRequest } from './load.ts';

const { url, CONNECTIONS, requests, seconds } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Load & {
  url: string;
  CONNECTIONS: number;
};
let unfollowed = 0;
const { latency, errors, timeouts, ...result } = await autocannon({
  url,
  connections: CONNECTIONS,
  duration: seconds,
  requests: requests.flatMap((request) => (request.follower ? toPair(request, request.follower) : request)),
});
const failed = errors + timeouts + result['4xx'] + result['5xx'] + unfollowed;
console.log(
  JSON.stringify({
    requests: result.requests.total,
    seconds: result.duration,
    p50: latency.p50,
    p99: latency.p99,
    failed,
  }),
);

/** A request, and its follower, which contains values of the response. */
function toPair(request: LoadRequest, { path, body = '', ...follower }: LoadRequest): Request[] {
  return [
    {
      ...request,
      onResponse(status, response, context) {
        if (status === 204) unfollowed++;
        for (const name of ['id', 'token'])
          Object.assign(context, { [name]: new RegExp(`"${name}":"([^"]+)"`).exec(response)?.[1] });
      },
    },
    {
      ...follower,
      setupRequest(own, context) {
        const fill = (text: string) =>
          text.replace(/\{([a-z]+)\}/g, (_, name: string) => (context as Record<string, string>)[name] ?? '');
        return { ...own, path: fill(path), body: fill(body) };
      },
    },
  ];
}
