// What a benchmark run measures, from its flags.
import { parseArgs } from 'node:util';

export const contenders = ['renderline', 'webhooks', 'usual', 'script'] as const;
export type Contender = (typeof contenders)[number];

export interface BenchOptions {
  assets: number[];
  /** Requests in a window; 0 = no limit. */
  limits: number[];
  /** Worker processes on one key. */
  workers: number[];
  only: Contender[];
  /** Length of the platform's rate window; 60 unless a trial is to be short. */
  windowSeconds: number;
  /** A run of one asset starts while the others are under way. */
  mix: boolean;
  /** Workers that are killed during a run, each replaced by another. */
  kills: number;
  json: boolean;
  /** Also what takes a quarter of an hour. */
  full: boolean;
  seed: number;
  /** CSV file that rows are added to; none when empty. */
  output: string;
  /** Print a comparison with the last release. */
  compare: boolean;
  /** Measure nothing: take the newest rows of the file. */
  kept: boolean;
  /** SVG file to draw; none when empty. */
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

/** Sides that ask for one asset at a time: at 600 requests a minute their 1,000 assets take over 13 minutes. */
const oneAtATime: readonly Contender[] = ['usual', 'script'];
const requestsAnAsset = 8;
const minutesAtMost = 5;

/** @throws Error for flags that make no sense. */
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
    const found = contenders.find((contender) => contender === name);
    if (!found) throw new Error(`--only ${name}: choose from ${contenders.join(', ')}`);
    return found;
  });
  if (values.kept && values.output === '') throw new Error('--kept reads --output, which is empty');
  return {
    assets: numbers('--assets', values.assets, 1),
    limits: numbers('--limit', values.limit, 0),
    workers: numbers('--workers', values.workers, 1),
    only,
    windowSeconds: oneNumber('--window-seconds', values['window-seconds'], 1),
    mix: values.mix,
    kills: oneNumber('--kill', values.kill, 0),
    json: values.json,
    full: values.full,
    seed: oneNumber('--seed', values.seed, 0),
    output: values.output,
    compare: values.compare,
    kept: values.kept,
    chart: values.chart ?? (values.full ? 'bench/chart.svg' : ''),
  };
}

/** Every case to measure, and those that are left out unless `--full`. */
export function casesOf(options: BenchOptions): { cases: Case[]; leftOut: Case[] } {
  const { windowSeconds, mix, kills } = options;
  const all = options.assets.flatMap((assets) =>
    options.limits.flatMap((limit) =>
      options.workers.flatMap((workers) =>
        options.only.map(
          (contender): Case => ({ contender, assets, limit, workers, windowSeconds, mix, kills }),
        ),
      ),
    ),
  );
  // A script is one process, and what it has done is lost with it.
  const possible = all.filter(
    ({ contender, workers }) => contender !== 'script' || (workers === 1 && kills === 0),
  );
  const slow = ({ contender, assets, limit }: Case) =>
    oneAtATime.includes(contender) &&
    limit > 0 &&
    (assets * requestsAnAsset * windowSeconds) / limit > minutesAtMost * 60;
  return {
    cases: possible.filter((one) => options.full || !slow(one)),
    leftOut: possible.filter((one) => !options.full && slow(one)),
  };
}

/** The same work under the same conditions, as one text: results of releases are compared by it. */
export function caseKey(one: Case): string {
  const { contender, assets, limit, workers, windowSeconds, mix, kills } = one;
  return [contender, assets, limit, workers, windowSeconds, mix ? 1 : 0, kills].join('/');
}

function numbers(flag: string, text: string, least: number): number[] {
  return text.split(',').map((part) => {
    const number = Number(part);
    if (Number.isInteger(number) && number >= least) return number;
    throw new Error(`${flag} ${text}: whole numbers of at least ${least}, joined by commas`);
  });
}

function oneNumber(flag: string, text: string, least: number): number {
  const number = Number(text);
  if (text !== '' && Number.isInteger(number) && number >= least) return number;
  throw new Error(`${flag} ${text}: a whole number of at least ${least}`);
}
