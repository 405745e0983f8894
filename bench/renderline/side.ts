// Renderline as a side of the benchmark: its own commands, as a person uses them.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { workflowNames } from '../../src/plan/contract.ts';
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

function environment({ temporalAddress, sandbox, limit }: Place): Record<string, string> {
  return {
    TEMPORAL_ADDRESS: temporalAddress,
    RENDERLINE_BASE_URL: sandbox.baseUrl,
    RENDERLINE_API_KEY: sandbox.apiKey,
    // As a person states it who knows the allowance; else it is learned from the first 429.
    ...(limit === 0 ? {} : { RENDERLINE_RATE_LIMIT: String(limit) }),
  };
}
