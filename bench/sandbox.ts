// The platform of a measurement: a sandbox process of its own, and what it has seen.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Child, startChild } from './child.ts';
import type { Case } from './options.ts';
import { timeRules } from './workload.ts';

/** Answer of GET /_sandbox/stats/summary, as far as it is used here. */
export interface Stats {
  requests: Record<string, number>;
  totalRequests: number;
  rateLimited: number;
  created: { models: number; projects: number; renderJobs: number };
  /** Models and renders that an answer has shown ready. */
  seenReady: number;
  /** Rate windows, oldest first; empty without a limit. */
  windows: RateWindow[];
}

export interface RateWindow {
  /** Epoch milliseconds. */
  openedAt: number;
  used: number;
  refused: number;
}

export interface BenchSandbox {
  child: Child;
  baseUrl: string;
  apiKey: string;
  stats(): Promise<Stats>;
  /** From ready to first seen, 95th percentile, milliseconds; models and renders together. */
  noticedP95Ms(): Promise<number>;
}

export const templateName = 'Bench Still';

/** Starts a sandbox that takes the times that the models' names say and draws next to nothing. */
export async function startBenchSandbox(
  folder: string,
  { limit, windowSeconds }: Pick<Case, 'limit' | 'windowSeconds'>,
  seed: number,
): Promise<BenchSandbox> {
  const faults = join(folder, 'times.json');
  await writeFile(faults, JSON.stringify(timeRules()));
  const child = startChild(
    'src/cli/main.js',
    `sandbox --port 0 --allow-private-urls --picture-scale 0 --seed ${seed} --rate-limit ${limit} --window-seconds ${windowSeconds}`
      .split(' ')
      .concat('--faults', faults),
    {},
  );
  const [, baseUrl = ''] = await child.says(/RENDERLINE_BASE_URL=(\S+)/);
  const [, apiKey = ''] = await child.says(/RENDERLINE_API_KEY=(\S+)/);
  const control = new URL('/_sandbox/', baseUrl);
  // One camera, so that every asset has exactly one still.
  const made = await fetch(new URL('templates', control), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: templateName, bookmarks: [{ id: 'hero', name: 'Hero' }] }),
  });
  if (!made.ok) throw new Error(`the sandbox refused a template: ${await made.text()}`);
  const ask = async <T>(path: string) => (await (await fetch(new URL(path, control))).json()) as T;
  return {
    child,
    baseUrl,
    apiKey,
    stats: () => ask<Stats>('stats/summary'),
    noticedP95Ms: async () => (await ask<{ p95Ms: number }>('stats/noticed')).p95Ms,
  };
}
