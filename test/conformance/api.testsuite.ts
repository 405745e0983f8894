// The platform document as tests: run on the sandbox always, on a live platform when one is named.
import { afterAll, describe, test } from 'vitest';
import { accessSuite } from './_access.ts';
import { Client, type Target } from './_client.ts';
import { idempotencySuite } from './_idempotency.ts';
import { jobSuite } from './_jobs.ts';
import { modelSuite } from './_models.ts';
import { projectSuite } from './_projects.ts';
import { renderSuite } from './_renders.ts';

export interface SuiteOptions {
  /** Read when tests run. */
  readonly target: () => Target;
  /** A GLB that the platform accepts. */
  readonly glb: Uint8Array;
  /** Longest wait for a model or a render, in milliseconds. */
  readonly patienceMs: number;
}

/** Registers the whole suite. What it creates it deletes. */
export function testApi(name: string, options: SuiteOptions): void {
  describe(name, { timeout: 3 * options.patienceMs + 10_000 }, () => {
    const client = new Client(options.target);
    afterAll(() => client.deleteAll(), options.patienceMs + 60_000);
    accessSuite(client);
    modelSuite(client, options.glb, options);
    projectSuite(client, options.glb, options);
    renderSuite(client, options.glb, options);
    jobSuite(client, options.glb, options);
    idempotencySuite(client);
    test('the suite has a platform to test', () => new URL(options.target().baseUrl).href);
  });
}
