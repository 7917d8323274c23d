import { createFleet } from '@agent-fleet/sdk';
import type { Change } from './under-load.ts';

const URL = 'http://load-balancer:8080';
const NETWORKS = '{{range $name, $_ := .NetworkSettings.Networks}}{{$name}}{{end}}';

interface Machine {
  image: string;
  /** Installs the client that the fleet serves, and works on one task. */
  script: string;
}

const MACHINES: Machine[] = [
  {
    image: process.env.NODE_IMAGE ?? 'node:26-bookworm-slim',
    script: `
      printf '#!/bin/sh\\ncat\\n' >/tmp/handler && chmod +x /tmp/handler
      npx --yes --package ${URL}/download/fleet.tgz fleet worker --type claude --once --exec /tmp/handler`,
  },
  {
    image: process.env.DEBIAN_IMAGE ?? 'debian:bookworm-slim',
    script: `
      apt-get -qq update && apt-get -qq install --no-install-recommends python3-venv >/dev/null
      python3 -m venv /tmp/venv
      /tmp/venv/bin/pip install --quiet ${URL}/download/agent_fleet-1.0.0-py3-none-any.whl
      printf '%s\\n' 'from agent_fleet import Worker' 'worker = Worker(concurrency=1)' \\
        '@worker.handler(types=["claude"])' 'async def echo(task, ctx): return {"echo": task["message"]}' \\
        'worker.run()' >/tmp/worker.py
      timeout --preserve-status -s INT 15 /tmp/venv/bin/python /tmp/worker.py`,
  },
];

/** The clients that the image of the gateway serves, each in a container of its own in the network of the gateways. */
export const workOnBareMachines: Change = async ({ stack, target }) => {
  const [balancer = ''] = await stack.replicas('load-balancer');
  const network = await stack.inspect(balancer, NETWORKS);
  const variables = ['--env', `FLEET_URL=${URL}`, '--env', `FLEET_API_KEY=${target.apiKey}`];
  const fleet = createFleet({ url: target.baseUrl, apiKey: target.apiKey });
  const agent = await fleet.post('/agents', { body: { name: 'Bare', type: 'claude' } });
  for (const { image, script } of MACHINES) {
    const params = { path: { agent_id: agent.data.id } };
    const created = await fleet.post('/agents/{agent_id}/tasks', { params, body: { message: image } });
    await stack.docker(['run', '--rm', '--init', '--network', network, ...variables, image, 'sh', '-ec', script]);
    const path = { ...params.path, task_id: created.data.id };
    const { data: task } = await fleet.get('/agents/{agent_id}/tasks/{task_id}', { params: { path } });
    if (task.status !== 'completed') throw new Error(`${image}: the task is ${task.status}`);
  }
  return MACHINES.map(({ image }) => image).join(', ');
};
