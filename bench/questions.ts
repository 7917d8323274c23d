import { measureCosts } from './capacity/costs.ts';
import { measureHotAgents } from './capacity/hot-agents.ts';
import { measureDelivery } from './fleet/delivery.ts';
import type { MeasuredFleet } from './fleet/fleet.ts';
import { measureWaiting } from './fleet/long-polls.ts';
import { measureMemory } from './fleet/memory.ts';
import { measureOperations } from './fleet/operations.ts';
import { measureReplicas } from './fleet/replicas.ts';
import { measureTasks } from './fleet/tasks.ts';
import { measureTranscripts } from './fleet/transcripts.ts';
import { measureAddedLatency } from './gateway/added-latency.ts';
import { measureBefore } from './gateway/commit-before.ts';
import type { Front } from './gateway/front.ts';
import { measureHeldConnections } from './gateway/held-connections.ts';
import { measureLargeBodies } from './gateway/large-bodies.ts';
import { measureOverload } from './gateway/overload.ts';
import { measurePeers } from './gateway/peers.ts';
import { measureSignIns } from './gateway/sign-ins.ts';
import { measureSoak } from './gateway/soak.ts';
import { measureImages } from './images/images.ts';
import type { LoadGenerator } from './load/load.ts';
import { measureRegistry } from './registry/registry.ts';
import { measureSearches } from './registry/searches/searches.ts';
import { capacitySection } from './results/capacity.ts';
import { memorySection, operationsSection } from './results/fleet.ts';
import { bodiesSection, heldSection, latencySection, overloadSection } from './results/gateway.ts';
import { beforeSection, signInsSection } from './results/identity.ts';
import { imagesSection } from './results/images.ts';
import { peersSection } from './results/peers.ts';
import { registrySection } from './results/registry.ts';
import { replicasSection } from './results/replicas.ts';
import { searchesSection } from './results/searches.ts';
import { soakSection } from './results/soak.ts';
import { deliverySection, tasksSection, transcriptsSection, waitingSection } from './results/tasks.ts';
import type { Stage } from './stage/stage.ts';

export interface Question<On> {
  what: string;
  /** Measures, and returns a section of RESULTS.md. */
  ask(on: On): Promise<string>;
}

/** The whole fleet, and a load generator. */
export interface FleetStage {
  stage: Stage;
  fleet: MeasuredFleet;
  generator: LoadGenerator;
}

/** Questions that each have a stage of their own. */
export const GATEWAY_QUESTIONS: Record<string, Question<Front>> = {
  peers: {
    what: 'The gateway beside other proxies',
    ask: async (front) => peersSection(await measurePeers(front)),
  },
  before: {
    what: 'The gateway beside that of the commit before',
    ask: async (front) => beforeSection(await measureBefore(front)),
  },
  'sign-ins': {
    what: '100 sign-ins at once',
    ask: async (front) => signInsSection(await measureSignIns(front)),
  },
  latency: {
    what: 'Latency that the gateway adds to a request',
    ask: async (front) => latencySection(await measureAddedLatency(front)),
  },
  connections: {
    what: 'Idle connections and open event streams',
    ask: async (front) => heldSection(await measureHeldConnections(front)),
  },
  bodies: {
    what: 'Bodies of 1 GB',
    ask: async (front) => bodiesSection(await measureLargeBodies(front)),
  },
  overload: {
    what: 'Three times as many requests as the gateway can serve',
    ask: async (front) => overloadSection(await measureOverload(front)),
  },
};

/** Starts its own processes, with a source of this many skills. */
export interface RegistryQuestion extends Pick<FleetStage, 'stage' | 'generator'> {
  skills: number;
}

export const REGISTRY_QUESTIONS: Record<string, Question<RegistryQuestion>> = {
  registry: {
    what: 'A registry of very many skills',
    ask: async ({ stage, generator, skills }) => registrySection(await measureRegistry(stage, generator, skills)),
  },
  searches: {
    what: 'Searches among very many skills',
    ask: async ({ stage, generator, skills }) => searchesSection(await measureSearches(stage, generator, skills)),
  },
};

export const IMAGE_QUESTIONS: Record<string, Question<void>> = {
  images: {
    what: 'Images of the services',
    ask: async () => imagesSection(await measureImages()),
  },
};

/** Takes more than ten minutes. */
export const SOAK: Question<Front> = {
  what: 'Ten minutes of load',
  ask: async (front) => soakSection(await measureSoak(front)),
};

/** Questions that run one after another on the same fleet. The last one reports the memory after all of them. */
export const FLEET_QUESTIONS: Record<string, Question<FleetStage>> = {
  operations: {
    what: 'Operations through the gateway',
    ask: async ({ fleet, generator }) => operationsSection(await measureOperations(fleet, generator)),
  },
  delivery: {
    what: 'From a created task to the lease of a waiting worker',
    ask: async ({ fleet }) => deliverySection(await measureDelivery(fleet)),
  },
  waiting: {
    what: 'Waiting workers',
    ask: async ({ stage, fleet }) => waitingSection(await measureWaiting(stage, fleet)),
  },
  transcripts: {
    what: 'Followed transcripts',
    ask: async ({ stage, fleet }) => transcriptsSection(await measureTranscripts(stage, fleet)),
  },
  tasks: {
    what: 'Tasks, beside other queues',
    ask: async ({ stage, fleet, generator }) => tasksSection(await measureTasks(stage, fleet, generator)),
  },
  replicas: {
    what: 'Tasks that wait for replicas of Redis',
    ask: async ({ stage, fleet, generator }) => replicasSection(await measureReplicas(stage, fleet, generator)),
  },
  capacity: {
    what: 'What operations, records and hot agents cost',
    ask: async ({ stage, fleet }) =>
      capacitySection(await measureCosts(stage, fleet), await measureHotAgents(stage, fleet)),
  },
  memory: {
    what: 'Memory after 200 000 requests to each service',
    ask: async ({ stage, fleet, generator }) => memorySection(await measureMemory(stage, fleet, generator)),
  },
};
