import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readCommand } from '@agent-fleet/scripts/testing/command';

const TIMEOUT_MS = 600_000;
const BESIDE_THE_CHECKOUT = '../shared/tools/base-images';

/**
 * If this machine cannot pull images, runs the tool that builds them and starts Docker: `BASE_IMAGES_TOOL`, or the one
 * beside the checkout. Without a tool, Docker pulls the images.
 */
export async function provideBaseImages(signal: AbortSignal): Promise<string> {
  const tool = resolve(process.env.BASE_IMAGES_TOOL || BESIDE_THE_CHECKOUT);
  if (process.env.BASE_IMAGES_TOOL || existsSync(tool)) await readCommand(tool, [], { signal, timeoutMs: TIMEOUT_MS });
  const version = await readCommand('docker', ['version', '--format', '{{.Server.Version}}'], { signal });
  return `Docker ${version.trim()}`;
}
