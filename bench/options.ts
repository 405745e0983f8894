// Parses the flags of a benchmark run.
import { parseArgs } from 'node:util';
import { wholeNumber } from '../scripts/whole-number.ts';

export const contenders = ['renderline', 'webhooks', 'hand-written', 'script'] as const;
export type Contender = (typeof contenders)[number];

export interface BenchOptions {
  assets: number[];
  /** Numbers of requests per window. 0 means no limit. */
  limits: number[];
  /** Numbers of worker processes with the same API key. */
  workers: number[];
  only: Contender[];
  /** Length of the platform's rate window in seconds. It is below 60 only for short trials. */
  windowSeconds: number;
  /** True to start a run of one asset while the others are in progress. */
  mix: boolean;
  /** Number of workers that are killed and replaced during a run. */
  kills: number;
  json: boolean;
  /** True to include cases that take more than `maxMinutes` because of the rate limit. */
  full: boolean;
  seed: number;
  /** CSV file to which results are appended. Empty for none. */
  output: string;
  /** True to print a comparison with earlier results. */
  compare: boolean;
  /** True to skip measuring and use the newest results in the file. */
  kept: boolean;
  /** SVG file to draw. Empty for none. */
  chart: string;
}

export interface Case {
  contender: Contender;
  assets: number;
  limit: number;
  workers: number;
  windowSeconds: number;
  mix: boolean;
  kills: number;
}

/** Contenders that request one asset at a time. At 600 requests per minute, 1,000 assets take over 13 minutes. */
const oneAtATime: readonly Contender[] = ['hand-written', 'script'];
const requestsAnAsset = 8;
const maxMinutes = 5;

/** @throws Error for invalid flags */
export function readOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      assets: { type: 'string', default: '200,1000' },
      limit: { type: 'string', default: '0,600' },
      workers: { type: 'string', default: '1' },
      only: { type: 'string', default: contenders.join(',') },
      'window-seconds': { type: 'string', default: '60' },
      mix: { type: 'boolean', default: false },
      kill: { type: 'string', default: '0' },
      seed: { type: 'string', default: '7' },
      output: { type: 'string', default: 'bench/results.csv' },
      json: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      compare: { type: 'boolean', default: false },
      kept: { type: 'boolean', default: false },
      chart: { type: 'string' },
    },
  });
  const only = values.only.split(',').map((name) => {
    const match = contenders.find((contender) => contender === name);
    if (!match) throw new Error(`--only ${name}: choose from ${contenders.join(', ')}`);
    return match;
  });
  if (values.kept && values.output === '') throw new Error('--kept reads --output, which is empty');
  return {
    assets: numbers('--assets', values.assets, 1),
    limits: numbers('--limit', values.limit, 0),
    workers: numbers('--workers', values.workers, 1),
    only,
    windowSeconds: wholeNumber('--window-seconds', values['window-seconds'], 1),
    mix: values.mix,
    kills: wholeNumber('--kill', values.kill, 0),
    json: values.json,
    full: values.full,
    seed: wholeNumber('--seed', values.seed, 0),
    output: values.output,
    compare: values.compare,
    kept: values.kept,
    chart: values.chart ?? (values.full ? 'bench/chart.svg' : ''),
  };
}

/** Returns all cases to measure, and those that are included only with `--full`. */
export function casesOf(options: BenchOptions): { cases: Case[]; leftOut: Case[] } {
  const { windowSeconds, mix, kills } = options;
  const combinations = options.assets.flatMap((assets) =>
    options.limits.flatMap((limit) =>
      options.workers.flatMap((workers) =>
        options.only.map(
          (contender): Case => ({ contender, assets, limit, workers, windowSeconds, mix, kills }),
        ),
      ),
    ),
  );
  // A script is a single process without recovery, so it has no cases with several workers or with kills.
  const possibleCases = combinations.filter(
    ({ contender, workers }) => contender !== 'script' || (workers === 1 && kills === 0),
  );
  const slow = ({ contender, assets, limit }: Case) =>
    oneAtATime.includes(contender) &&
    limit > 0 &&
    (assets * requestsAnAsset * windowSeconds) / limit > maxMinutes * 60;
  return {
    cases: possibleCases.filter((benchCase) => options.full || !slow(benchCase)),
    leftOut: possibleCases.filter((benchCase) => !options.full && slow(benchCase)),
  };
}

/**
 * Returns the key of a case. It is equal for the same work under the same conditions, so that releases can be compared.
 */
export function caseKey(benchCase: Case): string {
  const { contender, assets, limit, workers, windowSeconds, mix, kills } = benchCase;
  return [contender, assets, limit, workers, windowSeconds, mix ? 1 : 0, kills].join('/');
}

function numbers(flag: string, text: string, min: number): number[] {
  return text.split(',').map((part) => wholeNumber(flag, part, min));
}
