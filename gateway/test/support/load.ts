import { Agent, get } from 'node:http';

/** Clients that send GETs in sequence over a kept-alive connection each, until `end` is called. */
export function startLoad(url: string, clients: number, headers: Record<string, string> = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const load = { answered: 0, errors: [] as unknown[], end };
  let isEnding = false;
  const ask = () =>
    new Promise<void>((resolve) => {
      const request = get(`${url}/agents`, { agent, headers }, (res) => {
        if (res.statusCode === 200) load.answered++;
        else load.errors.push(res.statusCode);
        res.resume().on('close', resolve);
      });
      request.on('error', (error) => {
        load.errors.push(error);
        resolve();
      });
    });
  const running = Array.from({ length: clients }, async () => {
    while (!isEnding) await ask();
  });
  /** Waits for the responses to requests in flight. */
  async function end() {
    isEnding = true;
    await Promise.all(running);
    agent.destroy();
    return load;
  }
  return load;
}
