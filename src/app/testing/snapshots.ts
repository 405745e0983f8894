// Snapshots of run results, in a file next to the test file.
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errnoOf } from '../../connectors/connector-error.ts';
import { toCanonicalJson } from '../../language/hash.ts';
import type { Json } from '../../plan/types.ts';
import type { Mismatch, TestedRun } from './check-expectations.ts';

/** Returns the reproducible part of a result, that is, without durations, numbers of requests and notices. */
function snapshotOf({ outcome, cause, assets, files, failures, warnings }: TestedRun): Json {
  return {
    outcome,
    cause,
    assets: { ...assets },
    files,
    failures: failures.map(({ key, code, node }) => `${key}: ${code} at ${node}`),
    warnings,
  };
}

export class Snapshots {
  readonly #path: string;
  readonly #updates: boolean;
  readonly #snapshots: Map<string, Json>;
  readonly #currentSnapshots = new Map<string, Json>();

  private constructor(path: string, updates: boolean, snapshots: Map<string, Json>) {
    this.#path = path;
    this.#updates = updates;
    this.#snapshots = snapshots;
  }

  /** @throws Error if the snapshot file is not valid JSON */
  static async of(testFile: string, cwd: string, updates: boolean): Promise<Snapshots> {
    const path = resolve(cwd, testFile.replace(/\.ya?ml$/, '.snapshot.json'));
    return new Snapshots(path, updates, new Map(Object.entries(await read(path))));
  }

  /** @param name name of the test, followed by the number of the run unless it is the first */
  compare(name: string, facts: TestedRun): Mismatch[] {
    const current = snapshotOf(facts);
    this.#currentSnapshots.set(name, current);
    if (this.#updates) return [];
    const snapshot = this.#snapshots.get(name);
    const path = ['snapshot'];
    const missing = 'none yet; create it: renderline test --update';
    if (snapshot === undefined) return [{ path, expected: 'a snapshot', got: missing }];
    return compareSnapshots(snapshot, current).map(({ field, expected, got }) => ({
      path,
      expected: `${field}: ${expected}`,
      got: `${got} (if the change is intended: renderline test --update)`,
    }));
  }

  /** @param names names of all snapshots of the file, including tests that were not run. Other snapshots are removed */
  async save(names: ReadonlySet<string>): Promise<void> {
    if (!this.#updates) return;
    const keptEntries = [...this.#snapshots].filter(([name]) => names.has(name));
    const next = new Map([...keptEntries, ...this.#currentSnapshots]);
    const sorted = Object.fromEntries([...next].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const text = `${JSON.stringify(sorted, null, 2)}\n`;
    if (next.size > 0 || this.#snapshots.size > 0) await writeFile(this.#path, text);
  }
}

async function read(path: string): Promise<Record<string, Json>> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Record<string, Json>;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return {};
    if (error instanceof SyntaxError)
      throw new Error(`${path} is not valid JSON: ${error.message}`);
    throw error;
  }
}

function* flattenFields(value: Json, name = ''): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) yield [name, value];
  else {
    for (const [key, inner] of Object.entries(value)) {
      yield* flattenFields(inner, name === '' ? key : `${name}.${key}`);
    }
  }
}

function compareSnapshots(
  previous: Json,
  current: Json,
): { field: string; expected: string; got: string }[] {
  const previousFields = new Map(flattenFields(previous));
  return [...flattenFields(current)].flatMap(([field, value]) => {
    const oldValue = previousFields.get(field) ?? null;
    if (toCanonicalJson(oldValue) === toCanonicalJson(value)) return [];
    return [{ field, expected: JSON.stringify(oldValue), got: JSON.stringify(value) }];
  });
}
