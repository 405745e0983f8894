// What a benchmark run measures, from its flags.
import { parseArgs } from 'node:util';

export const contenders = ['renderline', 'webhooks', 'usual'] as const;
export type Contender = (typeof contenders)[number];

export interface BenchOptions {
  assets: number[];
  /** Requests a minute; 0 = no limit. */
  limits: number[];
  only: Contender[];
  json: boolean;
  /** Also what takes a quarter of an hour. */
  full: boolean;
  seed: number;
  /** CSV file that rows are added to; none when empty. */
  output: string;
}

export interface Case {
  contender: Contender;
  assets: number;
  limit: number;
}

/** The usual workflow sends about 8 requests an asset: at 600 a minute 1,000 assets take over 13 minutes. */
const usualUnderLimitAtMost = 200;

/** @throws Error for flags that make no sense. */
export function readOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      assets: { type: 'string', default: '200,1000' },
      limit: { type: 'string', default: '0,600' },
      only: { type: 'string', default: contenders.join(',') },
      seed: { type: 'string', default: '7' },
      output: { type: 'string', default: 'bench/results.csv' },
      json: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
    },
  });
  const only = values.only.split(',').map((name) => {
    const found = contenders.find((contender) => contender === name);
    if (!found) throw new Error(`--only ${name}: choose from ${contenders.join(', ')}`);
    return found;
  });
  return {
    assets: numbers('--assets', values.assets, 1),
    limits: numbers('--limit', values.limit, 0),
    only,
    json: values.json,
    full: values.full,
    seed: numbers('--seed', values.seed, 0)[0] ?? 7,
    output: values.output,
  };
}

/** Every case to measure, and those that are left out unless `--full`. */
export function casesOf(options: BenchOptions): { cases: Case[]; leftOut: Case[] } {
  const all = options.assets.flatMap((assets) =>
    options.limits.flatMap((limit) =>
      options.only.map((contender): Case => ({ contender, assets, limit })),
    ),
  );
  const slow = ({ contender, assets, limit }: Case) =>
    contender === 'usual' && limit > 0 && assets > usualUnderLimitAtMost;
  return {
    cases: all.filter((one) => options.full || !slow(one)),
    leftOut: all.filter((one) => !options.full && slow(one)),
  };
}

function numbers(flag: string, text: string, least: number): number[] {
  return text.split(',').map((part) => {
    const number = Number(part);
    if (Number.isInteger(number) && number >= least) return number;
    throw new Error(`${flag} ${text}: whole numbers of at least ${least}, joined by commas`);
  });
}
