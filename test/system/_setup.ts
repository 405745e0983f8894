// Before the system tests: servers found or built, workflows bundled once. Starts no server itself.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import type { TestProject } from 'vitest/node';
import { findTemporalServer } from '../../src/temporal/find-server.ts';
import { findTestServer } from '../../src/temporal/test-server.ts';
import { workflowCode } from '../../src/temporal/workflow-code.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the `temporal` executable. */
    temporalBinary: string;
    /** Path of the time-skipping server's start script; empty with `testServerProblem` set. */
    testServerPath: string;
    testServerProblem: string;
    /** Path of the bundled workflows; empty while there are none. */
    workflowBundle: string;
  }
}

const onProgress = (line: string) => process.stderr.write(`${line}\n`);

let folder: string | undefined;

export async function setup(project: TestProject): Promise<void> {
  const options = { env: process.env, onProgress };
  project.provide('temporalBinary', (await findTemporalServer(options)).path);
  // Few tests skip time: without Java only they fail, and say why.
  const testServer = await findTestServer(options).catch((error: unknown) => String(error));
  project.provide('testServerPath', typeof testServer === 'string' ? '' : testServer.path);
  project.provide('testServerProblem', typeof testServer === 'string' ? testServer : '');
  project.provide('workflowBundle', await bundleWorkflows());
}

export async function teardown(): Promise<void> {
  if (folder) await rm(folder, { recursive: true, force: true });
}

async function bundleWorkflows(): Promise<string> {
  const { code } = await bundleWorkflowCode({
    ...workflowCode(),
    logger: new DefaultLogger('WARN'),
  });
  folder = await mkdtemp(join(tmpdir(), 'renderline-workflows-'));
  const path = join(folder, 'workflow-bundle.js');
  await writeFile(path, code);
  return path;
}
