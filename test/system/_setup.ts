// Before the system tests: one Temporal server for all of them, the time-skipping one found, the workflows bundled.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import type { TestProject } from 'vitest/node';
import { connectTemporal } from '../../src/temporal/connect.ts';
import { type DevServer, startDevServer } from '../../src/temporal/dev-server.ts';
import { chooseTemporal, findTemporalServer } from '../../src/temporal/find-server.ts';
import { findTestServer } from '../../src/temporal/test-server.ts';
import { workflowCode } from '../../src/temporal/workflow-code.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the `temporal` executable. */
    temporalBinary: string;
    /** host:port of the server that test files share, each in a namespace of its own. */
    temporalAddress: string;
    /** Path of the time-skipping server's start script; empty with `testServerProblem` set. */
    testServerPath: string;
    testServerProblem: string;
    /** Path of the bundled workflows. */
    workflowBundle: string;
  }
}

const onProgress = (line: string) => process.stderr.write(`${line}\n`);

let server: DevServer | undefined;
let folder: string | undefined;

export async function setup(project: TestProject): Promise<void> {
  const options = { env: process.env, onProgress };
  const { path: binary } = await findTemporalServer(options);
  project.provide('temporalBinary', binary);
  project.provide('temporalAddress', await sharedServer(binary));
  // Few tests skip time: without Java only they fail, and say why.
  const testServer = await findTestServer(options).catch((error: unknown) => String(error));
  project.provide('testServerPath', typeof testServer === 'string' ? '' : testServer.path);
  project.provide('testServerProblem', typeof testServer === 'string' ? testServer : '');
  project.provide('workflowBundle', await workflowBundle());
}

export async function teardown(): Promise<void> {
  await server?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
}

/** That of TEMPORAL_ADDRESS, which is left alone, or one that is started here. @throws where nobody answers at that address */
async function sharedServer(binary: string): Promise<string> {
  const choice = chooseTemporal(process.env);
  if (choice.kind === 'existing') {
    const connected = await connectTemporal({ env: { TEMPORAL_ADDRESS: choice.address } });
    await connected.close();
    return choice.address;
  }
  server = await startDevServer({ binary, ui: false });
  return server.address;
}

/** That of the build, unless a source is newer: then it is made here. */
async function workflowBundle(): Promise<string> {
  const built = 'dist/workflow-bundle.js';
  const sources = ['workflows', 'src/plan'].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name)),
  );
  const modifiedMs = (path: string) => statSync(path).mtimeMs;
  if (existsSync(built) && sources.every((path) => modifiedMs(path) <= modifiedMs(built))) {
    return join(process.cwd(), built);
  }
  const { code } = await bundleWorkflowCode({
    ...workflowCode(),
    logger: new DefaultLogger('WARN'),
  });
  folder = await mkdtemp(join(tmpdir(), 'renderline-workflows-'));
  const path = join(folder, 'workflow-bundle.js');
  await writeFile(path, code);
  return path;
}
