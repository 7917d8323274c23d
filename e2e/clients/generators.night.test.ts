import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from '@agent-fleet/scripts/services';
import { readCommand } from '@agent-fleet/scripts/testing/command';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../harness/api.ts';

const TIMEOUT_MS = 3_600_000;
const PROGRAMS = join(import.meta.dirname, 'programs');

/** What each program prints that uses a client: what it lists, leases, completes and finds, and an error. */
const PRINTED = '1 pending plan Do it completed 1 semantic_error';

interface Generator {
  /** Commands of the machine. */
  needs: string[];
  /** Of `programs`, and where it is beside its client. */
  program: [file: string, place: string];
  /** Makes the client of openapi.json, compiles both and runs the program. */
  script: string;
}

const JAR = 'mvn -q dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:7.25.0 -DoutputDirectory=jar';
const OPENAPI_GENERATOR = `${JAR} && java -jar jar/*.jar generate -i openapi.json`;
const GO = 'printf "module x\\n\\ngo 1.24\\n" > go.mod && go mod tidy && go run .';
/** A check of the types, and a bundle of program and client. */
const TYPESCRIPT =
  '"$BIN/tsc" -p . && "$BIN/esbuild" main.ts --bundle --platform=node --format=esm --outfile=main.mjs --log-level=error && node main.mjs';
const TSCONFIG = {
  compilerOptions: {
    ...{ target: 'es2022', module: 'esnext', moduleResolution: 'bundler', strict: true, noEmit: true },
    ...{ lib: ['es2022', 'dom', 'dom.iterable'], types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
  },
  files: ['main.ts'],
};
const VENV = 'python3 -m venv venv && venv/bin/pip install -q';
/** It knows no other type of XML. */
const PYTHON_CONFIG = {
  ...{ project_name_override: 'fleet-client', package_name_override: 'fleet_client', post_hooks: [] },
  content_type_overrides: { 'application/atom+xml': 'text/xml' },
};

const GENERATORS: Record<string, Generator> = {
  'oapi-codegen': {
    needs: ['go'],
    program: ['oapi-codegen.go', 'main.go'],
    script: `mkdir client && go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -generate types,client -package client -o client/client.go openapi.json && ${GO}`,
  },
  ogen: {
    needs: ['go'],
    program: ['ogen.go', 'main.go'],
    script: `go run github.com/ogen-go/ogen/cmd/ogen@v1.25.0 --target client --package client openapi.json && ${GO}`,
  },
  'openapi-generator go': {
    needs: ['go', 'java', 'mvn'],
    program: ['openapi-generator.go', 'main.go'],
    script: `${OPENAPI_GENERATOR} -g go -o client --additional-properties=packageName=client,withGoMod=false && rm -r client/test && ${GO}`,
  },
  'openapi-generator java': {
    needs: ['java', 'mvn'],
    program: ['Main.java', 'src/main/java/Main.java'],
    script: `${OPENAPI_GENERATOR} -g java -o . && mvn -q compile dependency:build-classpath -Dmdep.outputFile=path && java -cp "target/classes:$(cat path)" Main`,
  },
  'openapi-generator typescript-fetch': {
    needs: ['java', 'mvn'],
    program: ['typescript-fetch.ts', 'main.ts'],
    script: `${OPENAPI_GENERATOR} -g typescript-fetch -o client && ${TYPESCRIPT}`,
  },
  'openapi-generator python': {
    needs: ['java', 'mvn', 'python3'],
    program: ['openapi_generator.py', 'main.py'],
    script: `${OPENAPI_GENERATOR} -g python -o . && ${VENV} -r requirements.txt && venv/bin/python main.py`,
  },
  'openapi-generator rust': {
    needs: ['java', 'mvn', 'cargo'],
    program: ['main.rs', 'src/bin/main.rs'],
    script: `${OPENAPI_GENERATOR} -g rust -o . --additional-properties=supportAsync=false && cargo run -q --bin main`,
  },
  'openapi-python-client': {
    needs: ['python3'],
    program: ['openapi_python_client.py', 'client/main.py'],
    script: `${VENV} openapi-python-client==0.29.1 && venv/bin/openapi-python-client generate --path openapi.json --config python.json --output-path client --overwrite --fail-on-warning && venv/bin/python client/main.py`,
  },
  'hey-api': {
    needs: ['npm'],
    program: ['hey-api.ts', 'main.ts'],
    script: `npm install -s --no-save @hey-api/openapi-ts@0.99.0 typescript@5 && node_modules/.bin/openapi-ts -i openapi.json -o client && ${TYPESCRIPT}`,
  },
  orval: {
    needs: ['npm'],
    program: ['orval.ts', 'main.ts'],
    script: `npm install -s --no-save orval@8.38.0 && node_modules/.bin/orval --input openapi.json --output client/client.ts --client fetch && ${TYPESCRIPT}`,
  },
};

const isMissing = (command: string) => spawnSync('which', [command]).status !== 0;

const api = new Api();
beforeAll(() => api.open(), 180_000);
afterAll(() => api.close(), 180_000);

for (const [name, generator] of Object.entries(GENERATORS)) {
  const missing = generator.needs.filter(isMissing);
  const title = `a client of ${name} lists, leases and completes a task, finds a skill and reads an error`;
  if (missing.length > 0) test.skip(`${title}: ${missing.join(' and ')} are not installed`, () => {});
  else test(title, () => uses(generator), TIMEOUT_MS);
}

async function uses({ program: [file, place], script }: Generator): Promise<void> {
  const cwd = ownFolder();
  writeFileSync(join(cwd, 'openapi.json'), await (await fetch(`${api.baseUrl}/openapi.json`)).text());
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  writeFileSync(join(cwd, 'python.json'), JSON.stringify(PYTHON_CONFIG));
  mkdirSync(dirname(join(cwd, place)), { recursive: true });
  copyFileSync(join(PROGRAMS, file), join(cwd, place));
  const env = {
    ...process.env,
    ...{ BIN: join(ROOT, 'node_modules/.bin'), NAME: `generated ${crypto.randomUUID()}` },
    ...{ FLEET_URL: api.baseUrl, FLEET_KEY: api.apiKey, FLEET_TYPE: String(api.types[0]) },
  };
  const printed = await readCommand('bash', ['-ec', script], { cwd, env, timeoutMs: TIMEOUT_MS });
  // Maven resets colours even where it writes none.
  expect(stripVTControlCharacters(printed).trim().split('\n').at(-1)).toBe(PRINTED);
}
