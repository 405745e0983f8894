// Things that a pipeline's runs have made on the platform, and their users. Calls are read a few at a time; of
// each thing only a line is kept.

import { thingKinds } from '../../api/things.ts';
import type { Connector } from '../../connectors/connector.ts';
import type { PlatformThing } from '../../plan/contract.ts';
import { type Intent, parseIntent } from '../calls/intents.ts';
import { type MadeThing, madeBy } from '../calls/made-by.ts';
import { mapBounded } from '../objects/bounded.ts';
import { encodeKey } from '../objects/object-name.ts';
import type { RunFolder } from '../runs/run-folders.ts';

const readsAtOnce = 32;

export interface Made extends MadeThing {
  /** Runs whose calls have answered with it, newest first; a key of the platform repeats its answer. */
  runs: readonly string[];
  /** Shard of the newest of them. */
  shard: number;
  /** When the last of those calls was begun, ISO 8601. */
  madeAt: string;
  /** Its upload came to nothing, so that another was made in its place. */
  isAbandoned: boolean;
  isUsed: boolean;
}

export interface UserOfThings {
  /** A run that is under way, assets of this pipeline, or another pipeline, in words. */
  user: string;
  /** Number of things that it uses and nobody who was found before. */
  things: number;
}

/** A run that is under way, as a user of things. */
export function runInWords(run: string): string {
  return `run ${run}, which is under way`;
}

export class MadeThings {
  readonly #ofKind = new Map<string, Map<string, Made>>(
    thingKinds.map((kind) => [kind, new Map()]),
  );
  /** Encoded keys of assets that are being worked on. */
  readonly #busy = new Set<string>();
  /** Number of things by the first that was found to use them. */
  readonly #users = new Map<string, number>();

  /** Run by run, the newest first. Calls that could not be read are passed over: what they made stays. */
  async read(
    connector: Connector,
    base: string,
    { run, intents }: RunFolder,
    options: { signal: AbortSignal; onRead: () => void },
  ): Promise<void> {
    // All things share this list, since there may be hundreds of thousands of them.
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
    return this.#maps().reduce((sum, made) => sum + made.size, 0);
  }

  unused(): Made[] {
    const isUnused = ({ key, isUsed }: Made) => !isUsed && !this.#busy.has(encodeKey(key));
    return this.#maps().flatMap((made) => [...made.values()].filter(isUnused));
  }

  /** Who uses them, those with most of them first. */
  get users(): UserOfThings[] {
    const all = [...this.#users].map(([user, things]) => ({ user, things }));
    return all.toSorted((a, b) => b.things - a.things);
  }

  /** @param user in words */
  use(things: Iterable<PlatformThing>, user: string): void {
    for (const { kind, id } of things) {
      const made = this.#ofKind.get(kind)?.get(id);
      if (made) this.#mark(made, user);
    }
  }

  /** All that was made for an asset. */
  useAllOf(encodedKey: string): void {
    this.#busy.add(encodedKey);
  }

  useAllOfRuns(runs: ReadonlySet<string>): void {
    for (const made of this.#maps().flatMap((ofKind) => [...ofKind.values()])) {
      const run = made.runs.find((one) => runs.has(one));
      if (run !== undefined) this.#mark(made, runInWords(run));
    }
  }

  #mark(made: Made, user: string): void {
    if (made.isUsed) return;
    made.isUsed = true;
    this.#users.set(user, (this.#users.get(user) ?? 0) + 1);
  }

  #maps(): Map<string, Made>[] {
    return [...this.#ofKind.values()];
  }

  #add(made: Made): void {
    const ofKind = this.#ofKind.get(made.kind);
    const known = ofKind?.get(made.id);
    if (known) {
      known.runs = [...known.runs, ...made.runs];
      known.isAbandoned &&= made.isAbandoned;
      if (known.madeAt < made.madeAt) known.madeAt = made.madeAt;
      return;
    }
    ofKind?.set(made.id, made);
  }
}

async function readIntent(connector: Connector, path: string): Promise<Intent | null> {
  const bytes = await connector.read(path);
  try {
    return parseIntent(bytes.toString('utf8'));
  } catch {
    return null;
  }
}
