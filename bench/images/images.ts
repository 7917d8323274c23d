import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT, SERVICE_NAMES } from '@agent-fleet/scripts/services';

const MAX_OUTPUT = 64 * 1024 * 1024;
const run = promisify(execFile);

interface Image {
  name: string;
  bytes: number;
  /** The npm packages in it, by its SBOM. */
  packages: number;
}

export interface ImageResults {
  images: Image[];
  /** Known vulnerabilities of the packages of production; undefined when the package registry does not tell. */
  vulnerabilities: number | undefined;
}

/** Reads the images that `docker compose build` has made. @throws Error where there are none */
export async function measureImages(): Promise<ImageResults> {
  return { images: await Promise.all(SERVICE_NAMES.map(readImage)), vulnerabilities: await countVulnerabilities() };
}

async function readImage(service: string): Promise<Image> {
  const name = `agent-fleet/${service}`;
  const { stdout: bytes } = await run('docker', ['image', 'inspect', '--format', '{{.Size}}', name]);
  const read = ['run', '--rm', '--network=none', '--entrypoint=cat', name, '/app/sbom.json'];
  const { stdout: sbom } = await run('docker', read, { maxBuffer: MAX_OUTPUT });
  const { components } = JSON.parse(sbom) as { components: unknown[] };
  return { name, bytes: Number(bytes), packages: components.length };
}

async function countVulnerabilities(): Promise<number | undefined> {
  // It ends with 1 when it finds some.
  const audit = run('npm', ['audit', '--omit=dev', '--json'], { cwd: ROOT, maxBuffer: MAX_OUTPUT });
  const { stdout } = await audit.catch((error: { stdout: string }) => error);
  const { metadata } = JSON.parse(stdout) as { metadata?: { vulnerabilities: { total: number } } };
  return metadata?.vulnerabilities.total;
}
