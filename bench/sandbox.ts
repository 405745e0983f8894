// The platform of a measurement: a sandbox process and its statistics.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Child, startChild } from './child.ts';
import type { Case } from './options.ts';
import { timeRules } from './workload.ts';

/** The part of GET /_sandbox/stats/summary that is used. */
export interface Stats {
  requests: Record<string, number>;
  totalRequests: number;
  rateLimited: number;
  created: { models: number; projects: number; renderJobs: number };
  /** Number of models and renders that a response has shown as ready. */
  seenReady: number;
  /** Rate windows, oldest first. Empty without a limit. */
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
  /** Returns the 95th percentile of the time from ready to first seen, in ms. */
  noticedP95Ms(): Promise<number>;
}

export const templateName = 'Bench Still';

/** Starts a sandbox with tiny pictures and with the durations that the models' names state. */
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
  const [, baseUrl = ''] = await child.waitForOutput(/RENDERLINE_BASE_URL=(\S+)/);
  const [, apiKey = ''] = await child.waitForOutput(/RENDERLINE_API_KEY=(\S+)/);
  const control = new URL('/_sandbox/', baseUrl);
  // A template with a single camera gives every asset exactly one still.
  const response = await fetch(new URL('templates', control), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: templateName, bookmarks: [{ id: 'hero', name: 'Hero' }] }),
  });
  if (!response.ok) throw new Error(`the sandbox refused a template: ${await response.text()}`);
  const ask = async <T>(path: string) => (await (await fetch(new URL(path, control))).json()) as T;
  return {
    child,
    baseUrl,
    apiKey,
    stats: () => ask<Stats>('stats/summary'),
    noticedP95Ms: async () => (await ask<{ p95Ms: number }>('stats/noticed')).p95Ms,
  };
}
