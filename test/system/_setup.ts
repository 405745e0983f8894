// Global setup of the system tests: starts a shared Temporal server, finds the time-skipping one, bundles the
// workflows.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import type { TestProject } from 'vitest/node';
import { connectTemporal } from '../../src/temporal/connection/connect.ts';
import { type DevServer, startDevServer } from '../../src/temporal/server/dev-server.ts';
import { chooseTemporal, findTemporalServer } from '../../src/temporal/server/find-server.ts';
import { findTestServer } from '../../src/temporal/server/test-server.ts';
import { findWorkflowCode } from '../../src/temporal/workflow-code.ts';
import { findMovedClockServer } from '../extended/_moved-clock-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the `temporal` executable. */
    temporalBinary: string;
    /** host:port of the shared server; each test file uses its own namespace. */
    temporalAddress: string;
    /** Path of the time-skipping server's start script; empty if `testServerProblem` is set. */
    testServerPath: string;
    testServerProblem: string;
    /**
     * Path of the server whose clock tests move; empty if `movedClockProblem` is set. Only for the project `extended`.
     */
    movedClockServer: string;
    movedClockProblem: string;
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
  // Few tests need the time-skipping server: without Java only those fail, with this message.
  const testServer = await findTestServer(options).catch((error: unknown) => String(error));
  project.provide('testServerPath', typeof testServer === 'string' ? '' : testServer.path);
  project.provide('testServerProblem', typeof testServer === 'string' ? testServer : '');
  if (project.name === 'extended') {
    const moved = findMovedClockServer(onProgress).then((path) => ({ path, problem: '' }));
    const { path, problem } = await moved.catch((error: unknown) => ({
      path: '',
      problem: String(error),
    }));
    project.provide('movedClockServer', path);
    project.provide('movedClockProblem', problem);
  }
  project.provide('workflowBundle', await workflowBundle());
}

export async function teardown(): Promise<void> {
  await server?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
}

/** Uses the server at TEMPORAL_ADDRESS if set, else starts one. @throws if no server responds at that address */
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

/** The built bundle, or a new one if a source file is newer. */
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
    ...findWorkflowCode(),
    logger: new DefaultLogger('WARN'),
  });
  folder = await mkdtemp(join(tmpdir(), 'renderline-workflows-'));
  const path = join(folder, 'workflow-bundle.js');
  await writeFile(path, code);
  return path;
}
