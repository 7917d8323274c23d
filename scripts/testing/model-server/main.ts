// A model that needs no provider: `node scripts/testing/model-server/main.ts [port]` prints the variables that lead
// workers to it. It answers every message with a text.
import { exitOnSignals } from '../../launcher/parent.ts';
import { startModelServer } from './model-server.ts';

const { url } = await startModelServer({ port: Number(process.argv[2] ?? 0) });
exitOnSignals();
console.log(`ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=fake`);
console.log(`OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=fake`);
console.log(`GOOGLE_GEMINI_BASE_URL=${url} GEMINI_API_KEY=fake`);
