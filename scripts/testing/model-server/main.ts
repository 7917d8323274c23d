// A model that needs no provider: `node scripts/testing/model-server/main.ts [port]` prints the variables that lead
// workers to it. It greets, writes a README where a message asks for one, and repeats any other message.
import { exitOnSignals } from '../../launcher/parent.ts';
import type { ModelRequest, Reply, ToolCall } from './model-api.ts';
import { startModelServer } from './model-server.ts';

const README = '# Hello World\n\nA first repository: one file, and a greeting to everybody who reads it.\n';
const COMMAND = `printf '${README.replaceAll('\n', '\\n')}' > README.md`;

/** How each program's model writes a file, by the name of the tool. */
const WRITING: Record<string, ToolCall['args']> = {
  exec_command: { cmd: COMMAND },
  Bash: { command: COMMAND, description: 'Writes the README' },
  write_file: { file_path: 'README.md', content: README },
  write: { filePath: 'README.md', content: README },
  /** Codex, for models that call its tools from JavaScript. */
  exec: `text(await tools.exec_command(${JSON.stringify({ cmd: COMMAND })}));`,
};

function reply({ prompt, tools, toolResults, body }: ModelRequest): Reply {
  if (/\bsay hello\b/i.test(prompt)) return { text: 'Hello, fleet: I am here, and ready for your tasks.' };
  if (!/\breadme\b/i.test(prompt)) return { text: `You said: ${prompt.slice(-200)}` };
  // Codex offers `exec` in a message, not in the list of tools.
  const isOffered = (tool: string) => tools.includes(tool) || JSON.stringify(body).includes(`"name":"${tool}"`);
  const [name, args] = Object.entries(WRITING).find(([tool]) => isOffered(tool)) ?? [];
  if (toolResults.length > 0 || name === undefined || args === undefined) {
    return { text: 'I have added a short README: what the repository is, in one sentence.' };
  }
  return { text: 'I will write the README.', tools: [{ name, args }] };
}

const { url } = await startModelServer({ port: Number(process.argv[2] ?? 0), reply });
exitOnSignals();
console.log(`ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=fake`);
console.log(`OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=fake`);
console.log(`GOOGLE_GEMINI_BASE_URL=${url} GEMINI_API_KEY=fake`);
