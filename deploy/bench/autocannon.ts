// Loads a server with the requests of a file, as a process of its own; prints the figures as one line of JSON.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

const { url, CONNECTIONS, requests, seconds } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const { latency, errors, timeouts, ...result } = await autocannon({
  url,
  connections: CONNECTIONS,
  duration: seconds,
  requests,
});
const failed = errors + timeouts + result['4xx'] + result['5xx'];
console.log(
  JSON.stringify({
    requests: result.requests.total,
    seconds: result.duration,
    p50: latency.p50,
    p99: latency.p99,
    failed,
  }),
);
