// How a run's assets ended, a page for each part of a shard that settled, and one summary a run.
import type { SettledAsset } from '../plan/contract.ts';
import type { Json } from '../plan/types.ts';
import type { JsonObjects } from './json-objects.ts';
import { encodeKey } from './object-name.ts';

const pageSchema = 'renderline/results/v1';
const summarySchema = 'renderline/run/v1';
/** One flat folder, so that one listing finds all runs. */
const summaries = 'summaries';

interface ResultsPage {
  schema: typeof pageSchema;
  run: string;
  shard: number;
  part: number;
  settled: SettledAsset[];
}

/** What is kept about a run beside its assets. */
export interface RunSummary {
  schema: typeof summarySchema;
  run: string;
  lineage: string;
  pipeline: string;
  recipe: string;
  /** ISO 8601. */
  at: string;
  /** Whatever the run's end has to say: plan hash, totals, requests. */
  details: { [field: string]: Json };
}

export class Results {
  readonly #objects: JsonObjects;

  constructor(objects: JsonObjects) {
    this.#objects = objects;
  }

  /** Repeating a part replaces it. */
  async write(run: string, shard: number, part: number, settled: SettledAsset[]): Promise<void> {
    const page: ResultsPage = { schema: pageSchema, run, shard, part, settled };
    await this.#objects.write(`${folderOf(run)}/${digits(shard)}-${digits(part)}.json`, page);
  }

  /** Everything that has settled, in the order of shards; an asset that settled twice comes once, as last written. */
  async *read(run: string): AsyncGenerator<SettledAsset> {
    const names = (await this.#objects.names(folderOf(run))).sort();
    let shard = '';
    let assets = new Map<string, SettledAsset>();
    for (const name of names) {
      const [of = ''] = name.split('-');
      if (of !== shard) {
        yield* assets.values();
        assets = new Map();
        shard = of;
      }
      const page = await this.#objects.read<ResultsPage>(`${folderOf(run)}/${name}`, pageSchema);
      for (const asset of page?.settled ?? []) assets.set(asset.key, asset);
    }
    yield* assets.values();
  }

  async writeSummary(summary: Omit<RunSummary, 'schema'>): Promise<void> {
    await this.#objects.write(`${summaries}/${encodeKey(summary.run)}.json`, {
      schema: summarySchema,
      ...summary,
    });
  }

  async readSummary(run: string): Promise<RunSummary | null> {
    return this.#objects.read<RunSummary>(`${summaries}/${encodeKey(run)}.json`, summarySchema);
  }

  /** Summaries of all runs, newest first. */
  async list(): Promise<RunSummary[]> {
    const found: RunSummary[] = [];
    for (const name of await this.#objects.names(summaries)) {
      const summary = await this.#objects.read<RunSummary>(`${summaries}/${name}`, summarySchema);
      if (summary) found.push(summary);
    }
    return found.sort((a, b) => (a.at < b.at ? 1 : -1));
  }
}

function folderOf(run: string): string {
  return `runs/${encodeKey(run)}/results`;
}

function digits(number: number): string {
  return String(number).padStart(5, '0');
}
