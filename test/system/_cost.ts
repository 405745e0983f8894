// Measures runs of the benchmark's pipeline: requests that the platform counts, and events of the histories.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { timeRules, writeWorkload } from '../../bench/workload.ts';
import { allHistories } from './_histories.ts';
import { type PipelineFolder, type RunReport, runToEnd, useProduct } from './_runs.ts';
import type { SandboxStats } from './_sandbox.ts';
import type { Env } from './_stack.ts';

// The platform keeps its real durations, as in the benchmark: the number of polls is a part of the cost.
const flags = ['--rate-limit', '0', '--picture-scale', '0', '--seed', '7'];

export interface Cost {
  report: RunReport;
  /** Requests of the run that the platform has counted. */
  requests: number;
  limited: number;
  events: number;
}

export interface CostInUse {
  /** Environment of the sandbox, worker and server that the runs share. */
  readonly env: Env;
  /** Runs the benchmark's pipeline with this number of models. */
  costOf(assets: number, name?: string): Promise<Cost>;
}

export function useCost(temporal: { readonly env: Env }): CostInUse {
  const product = useProduct(temporal, flags);
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'renderline-budget-'));
    await product.sandbox.set('faults', timeRules());
    const bookmarks = [{ id: 'hero', name: 'Hero' }];
    await product.sandbox.set('templates', { name: 'Bench Still', bookmarks });
  });
  afterAll(() => rm(root, { recursive: true, force: true }));
  return {
    get env() {
      return product.env;
    },
    async costOf(assets, name = String(assets)) {
      const folder = join(root, `models-${name}`);
      writeWorkload(folder, assets, 7);
      const file = fileURLToPath(new URL('../../bench/renderline/stills.yaml', import.meta.url));
      const place: PipelineFolder = { root, folder, out: join(root, `pictures-${name}`), file };
      const before = await product.sandbox.stats();
      const report = await runToEnd(place, product.env);
      const after = await product.sandbox.stats();
      const histories = await allHistories(product.env, report.run);
      return {
        report,
        // The command checks the API key once before it starts the run.
        requests: apiRequests(after) - apiRequests(before),
        limited: after.rateLimited - before.rateLimited,
        events: histories.reduce((sum, { events }) => sum + events.length, 0),
      };
    },
  };
}

function apiRequests({ totalRequests, requests }: SandboxStats): number {
  return totalRequests - (requests['getMe'] ?? 0);
}
