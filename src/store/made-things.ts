// What a pipeline's runs have made on the platform, and who still uses it. Calls are read a few at a time; of
// each thing only a line is kept.
import type { Connector } from '../connectors/connector.ts';
import type { PlatformThing } from '../plan/contract.ts';
import { mapBounded } from './bounded.ts';
import type { Intent } from './intents.ts';
import { type MadeThing, madeBy } from './made-by.ts';
import { encodeKey } from './object-name.ts';
import { thingId } from './platform-things.ts';
import type { RunFolder } from './run-folders.ts';

const readsAtOnce = 32;

export interface Made extends MadeThing {
  /** Runs whose calls have answered with it, newest first; a key of the platform repeats its answer. */
  runs: readonly string[];
  /** Of the newest of them. */
  shard: number;
  /** When the last of those calls was begun, ISO 8601. */
  madeAt: string;
  /** Its upload came to nothing, so that another was made in its place. */
  isAbandoned: boolean;
  isUsed: boolean;
}

export class MadeThings {
  readonly #byId = new Map<string, Made>();
  /** Encoded keys of assets that are being worked on. */
  readonly #busy = new Set<string>();

  /** Run by run, the newest first. Calls that could not be read are passed over: what they made stays. */
  async read(
    connector: Connector,
    base: string,
    { run, intents }: RunFolder,
    options: { signal: AbortSignal; onRead: () => void },
  ): Promise<void> {
    // One list for all of them: there may be hundreds of thousands.
    const runs = [run];
    const readOne = async ({ path, shard }: { path: string; shard: number }) => {
      const intent = await readIntent(connector, `${base}/${path}`);
      options.onRead();
      if (intent === null) return;
      const isAbandoned = intent.state === 'abandoned';
      const { createdAt: madeAt } = intent;
      for (const thing of madeBy(intent)) {
        this.#add({ ...thing, runs, shard, madeAt, isAbandoned, isUsed: false });
      }
    };
    await mapBounded(intents, readOne, { atOnce: readsAtOnce, signal: options.signal });
  }

  get size(): number {
    return this.#byId.size;
  }

  unused(): Made[] {
    return [...this.#byId.values()].filter(
      ({ key, isUsed }) => !isUsed && !this.#busy.has(encodeKey(key)),
    );
  }

  use(things: Iterable<PlatformThing>): void {
    for (const thing of things) {
      const made = this.#byId.get(thingId(thing));
      if (made) made.isUsed = true;
    }
  }

  /** All that was made for an asset. */
  useAllOf(encodedKey: string): void {
    this.#busy.add(encodedKey);
  }

  useAllOfRuns(runs: ReadonlySet<string>): void {
    for (const made of this.#byId.values()) {
      if (made.runs.some((run) => runs.has(run))) made.isUsed = true;
    }
  }

  #add(made: Made): void {
    const known = this.#byId.get(thingId(made));
    if (known) {
      known.runs = [...known.runs, ...made.runs];
      known.isAbandoned &&= made.isAbandoned;
      if (known.madeAt < made.madeAt) known.madeAt = made.madeAt;
      return;
    }
    this.#byId.set(thingId(made), made);
  }
}

async function readIntent(connector: Connector, path: string): Promise<Intent | null> {
  const bytes = await connector.read(path);
  try {
    return JSON.parse(bytes.toString('utf8')) as Intent;
  } catch {
    return null;
  }
}
