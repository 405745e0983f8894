// Renderline as a contender of the benchmark, through its own commands.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { workflowNames } from '../../src/plan/contract/contract.ts';
import { findFreePorts } from '../../src/temporal/server/free-ports.ts';
import { startChild } from '../child.ts';
import type { ContenderEnvironment, ContenderRunner } from '../contender.ts';
import { waitUntilClosed } from '../histories.ts';

export const stills = fileURLToPath(
  new URL('../../../bench/renderline/stills.yaml', import.meta.url),
);
const program = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const startWithinMs = 10 * 60_000;
const workflowTypes = Object.values(workflowNames);
/** Types of workflows that run forever (rate-limit sharing and poll leader). Their events count too. */
const permanentTypes: readonly string[] = [workflowNames.allowance, workflowNames.pollLeader];
const runTypes = workflowTypes.filter((type) => !permanentTypes.includes(type));

/** Runs Renderline with a pipeline file that has the parameters `folder` (of models) and `out` (of pictures). */
export const renderlineWith = (file: string): ContenderRunner => ({
  description: 'jobs of 50, shared status polls, projects and renders of 50, render list',
  workflowTypes,
  async startWorker(contenderEnvironment) {
    const worker = startChild('src/cli/main.js', ['worker'], environment(contenderEnvironment));
    await worker.waitForOutput(/Task queue/);
    return worker;
  },
  async start(contenderEnvironment, { workload: { folder }, out }) {
    await promisify(execFile)(
      process.execPath,
      [program, 'run', file, '--param', `folder=${folder}`, '--param', `out=${out}`],
      {
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: process.env['HOME'] ?? '',
          ...environment(contenderEnvironment),
        },
        timeout: startWithinMs,
      },
    );
  },
  // At least two workflows must have closed, the run and one shard.
  waitForEnd: ({ temporal }, _task, sinceMs) => waitUntilClosed(temporal, runTypes, 2, sinceMs),
});

export const renderline = renderlineWith(stills);

/** Runs Renderline with a webhook receiver, which the platform notifies and which wakes the worker. */
export const renderlineWithWebhooks: ContenderRunner = {
  ...renderline,
  description: `${renderline.description}; webhooks trigger polls at once`,
  async prepare(contenderEnvironment) {
    const [port = 0] = await findFreePorts(1);
    const origin = `http://127.0.0.1:${port}`;
    const receiver = startChild(
      'src/cli/main.js',
      ['webhooks', '--port', String(port), '--register', `${origin}/webhooks`],
      environment(contenderEnvironment),
    );
    await receiver.waitForOutput(/Receiving notifications/);
    return { RENDERLINE_WAKE_UPS_URL: `${origin}/wake-ups` };
  },
  async startWorker(contenderEnvironment) {
    const worker = startChild('src/cli/main.js', ['worker'], environment(contenderEnvironment));
    await worker.waitForOutput(/connected to the receiver for wake-ups/);
    return worker;
  },
};

function environment({
  temporalAddress,
  sandbox,
  limit,
  windowSeconds,
  env,
}: ContenderEnvironment): Record<string, string> {
  return {
    TEMPORAL_ADDRESS: temporalAddress,
    RENDERLINE_BASE_URL: sandbox.baseUrl,
    RENDERLINE_API_KEY: sandbox.apiKey,
    ...env,
    // Sets the rate limit per minute, as a person would. Otherwise, it is learned from the first 429.
    ...(limit === 0 || windowSeconds !== 60 ? {} : { RENDERLINE_RATE_LIMIT: String(limit) }),
  };
}
