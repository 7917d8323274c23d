import type supertest from 'supertest';

export interface Lease {
  id: string;
  token: string;
  attempt: number;
  task: { id: string; agent_id: string };
}

/** The requests of most tests; creations must be 201. */
export function createClient(http: ReturnType<typeof supertest>) {
  return {
    async createAgent(type = 'claude'): Promise<string> {
      return (await http.post('/agents').send({ name: 'x', type }).expect(201)).body.id;
    },

    async createTask(agentId: string, fields: object = {}) {
      const request = http.post(`/agents/${agentId}/tasks`).send({ message: 'x', ...fields });
      return (await request.expect(201)).body;
    },

    async createTasks(agentId: string, count: number, fields: object = {}): Promise<void> {
      const tasks = Array.from({ length: count }, () => ({ message: 'x', ...fields }));
      await http.post(`/agents/${agentId}/task-batches`).send({ tasks }).expect(201);
    },

    async lease(agentId: string, fields: object = {}) {
      return http.post(`/agents/${agentId}/leases`).send({ worker_id: 'w', ...fields });
    },

    async leaseByType(type: string, fields: object = {}) {
      return http.post('/leases').send({ worker_id: 'w', types: [type], ...fields });
    },

    report: ({ id, token }: Lease, fields: object) => http.put(`/leases/${id}/result`).send({ token, ...fields }),

    release: ({ id, token }: Lease) => http.delete(`/leases/${id}`).set('x-lease-token', token),

    async total(path: string): Promise<number> {
      return Number((await http.get(path)).headers['x-total-count']);
    },
  };
}
