// Renderline as a side of the benchmark: its own commands, as a person uses them.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { workflowNames } from '../../src/plan/contract.ts';
import { freePorts } from '../../src/temporal/free-ports.ts';
import { startChild } from '../child.ts';
import type { Place, Side } from '../contender.ts';

const file = fileURLToPath(new URL('../../../bench/renderline/stills.yaml', import.meta.url));
const program = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const startWithinMs = 60_000;

export const renderline: Side = {
  route: 'jobs of 50, shared status looks, projects and renders of 50, render list',
  workflowTypes: Object.values(workflowNames),
  async startWorker(place) {
    const worker = startChild('src/cli/main.js', ['worker'], environment(place));
    await worker.says(/Task queue/);
    return worker;
  },
  async start(place) {
    const { folder } = place.workload;
    await promisify(execFile)(
      process.execPath,
      [program, 'run', file, '--param', `folder=${folder}`, '--param', `out=${place.out}`],
      {
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: process.env['HOME'] ?? '',
          ...environment(place),
        },
        timeout: startWithinMs,
      },
    );
  },
  // The run itself and at least one shard.
  ended: (closed) => closed >= 2,
};

/** The same with a receiver, which the platform notifies and which tells the worker. */
export const renderlineWithWebhooks: Side = {
  ...renderline,
  route: `${renderline.route}; webhooks make looks happen at once`,
  async startWorker(place) {
    const [port = 0] = await freePorts(1);
    const origin = `http://127.0.0.1:${port}`;
    const receiver = startChild(
      'src/cli/main.js',
      ['webhooks', '--port', String(port), '--register', `${origin}/webhooks`],
      environment(place),
    );
    await receiver.says(/Receiving notifications/);
    const worker = startChild('src/cli/main.js', ['worker'], {
      ...environment(place),
      RENDERLINE_HINTS_URL: `${origin}/hints`,
    });
    await worker.says(/hints are coming in/);
    return {
      ...worker,
      stop: async () => {
        await worker.stop();
        await receiver.stop();
      },
    };
  },
};

function environment({ temporalAddress, sandbox, limit }: Place): Record<string, string> {
  return {
    TEMPORAL_ADDRESS: temporalAddress,
    RENDERLINE_BASE_URL: sandbox.baseUrl,
    RENDERLINE_API_KEY: sandbox.apiKey,
    // As a person states it who knows the allowance; else it is learned from the first 429.
    ...(limit === 0 ? {} : { RENDERLINE_RATE_LIMIT: String(limit) }),
  };
}
