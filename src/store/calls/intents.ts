// Intents: the exact bytes of every creating call, written down before it goes.
import { parseJson } from '../../api/bounded-json.ts';
import type { Refs } from '../../plan/refs.ts';
import { mapBounded } from '../objects/bounded.ts';
import { isStored, type JsonObjects } from '../objects/json-objects.ts';
import { encodeKey, hashOf } from '../objects/object-name.ts';

export const intentSchema = 'renderline/intent/v1';

export interface Intent {
  schema: typeof intentSchema;
  operation: string;
  /** Idempotency-Key. */
  key: string;
  /** The body, byte for byte; empty when there is none. */
  bodyText: string;
  params?: Record<string, string>;
  /** Asset keys in the order of the body's items. */
  assets: string[];
  /** Versions of their sources, in the same order, of a call that takes files up. */
  versions?: string[];
  /** Refs of the assets that are to be kept with what the call makes, by asset key. */
  known?: Record<string, Refs>;
  /** ISO 8601. */
  createdAt: string;
  /** `refused`: the platform said no, so nothing was made; its key only repeats that answer (platform.md, section 8). */
  state: 'open' | 'done' | 'abandoned' | 'refused';
  /** Since when its work may have been done without an answer that tells, ISO 8601; absent: it was not. */
  doubtSince?: string;
  /** Tells several calls of one purpose for the same assets apart, since clocks may not. @default 0 */
  epoch?: number;
  /** Key of the call whose work this one ends. */
  of?: string;
  /** Run that has ended it, where another one had begun it. */
  endedBy?: string;
  /** Its shard is one that assets came from. Not written down. */
  isInherited?: boolean;
  /** Platform ids by asset key. Signed addresses never stand here. */
  answer?: Record<string, Refs>;
}

/** @throws SyntaxError for a text that is no intent, or was cut short */
export function parseIntent(text: string): Intent {
  const value = parseJson(text);
  if (isStored<Intent>(value, intentSchema)) return value;
  throw new SyntaxError(`not ${intentSchema}`);
}

export type NewIntent = Omit<Intent, 'schema' | 'state' | 'answer' | 'endedBy' | 'isInherited'>;

/** A shard of an earlier run whose assets were taken over. */
export interface Origin {
  run: string;
  shard: number;
}

/** What a shard has taken over. */
export interface Inheritance {
  /** Folders of the same step in the shards that assets came from. */
  folders: readonly string[];
  /** When they were taken over, epoch ms. */
  atMs: number;
}

/** Intents of one step of one shard, with those that its assets bring along: whoever finds an unfinished intent sends it first. */
export class Intents {
  readonly #objects: JsonObjects;
  readonly #run: string;
  readonly #folder: string;
  readonly #inherited: () => Promise<Inheritance>;

  constructor(
    objects: JsonObjects,
    on: { run: string; folder: string; inherited: () => Promise<Inheritance> },
  ) {
    this.#objects = objects;
    this.#run = on.run;
    this.#folder = on.folder;
    this.#inherited = on.inherited;
  }

  /**
   * All of this shard; of its origins the open ones, those that took files up, and those that anybody has ended since the
   * assets were taken over: nobody has read their answers then. Oldest first.
   */
  async list(): Promise<Intent[]> {
    const own = await readAll(this.#objects, this.#folder);
    const { folders, atMs } = await this.#inherited();
    for (const folder of folders) {
      const theirs = await readAll(this.#objects, folder);
      const inherited = theirs.filter(
        (one) => isBuiltOn(one) || one.endedBy === this.#run || hasMadeSince(one, atMs),
      );
      own.push(...inherited.map((intent) => ({ ...intent, isInherited: true })));
    }
    return own.sort(byAge);
  }

  /** Writes an intent down unless it stands there already; then the one that stands there is returned. */
  async begin(wish: NewIntent): Promise<{ intent: Intent; existing: boolean }> {
    const path = pathIn(this.#folder, wish.key);
    const intent: Intent = { schema: intentSchema, ...wish, state: 'open' };
    // Durable: after a power cut, the bytes that may have been sent must still be known.
    const answer = await this.#objects.write(path, intent, { ifAbsent: true, durable: true });
    if (answer === 'written') return { intent, existing: false };
    const standing = await this.#objects.read<Intent>(path, intentSchema);
    if (!standing)
      throw new Error(`intent ${path} was there and is gone; nothing may remove intents`);
    return { intent: standing, existing: true };
  }

  /** Keeps what the call has created, by asset key. An intent that has ended stays as it is. */
  async finish(key: string, answer: Record<string, Refs>): Promise<Intent> {
    return this.#end(key, () => ({ state: 'done', answer }));
  }

  /** The call came to nothing that can be used; the work is done under another key. */
  async abandon(key: string): Promise<Intent> {
    return this.#end(key, () => ({ state: 'abandoned' }));
  }

  /** The platform refused the call. One that has ended before stays as it is. */
  async refuse(key: string): Promise<Intent> {
    return this.#end(key, () => ({ state: 'refused' }));
  }

  /** The call may have worked though it failed, so that sending it again may do its work twice. */
  async doubt(key: string): Promise<Intent> {
    return this.#end(key, ({ createdAt, doubtSince = createdAt }) => ({
      state: 'open',
      doubtSince,
    }));
  }

  async #end(
    key: string,
    endOf: (intent: Intent) => Pick<Intent, 'state' | 'answer' | 'doubtSince'>,
  ): Promise<Intent> {
    for (const folder of [this.#folder, ...(await this.#inherited()).folders]) {
      const path = pathIn(folder, key);
      const intent = await this.#objects.read<Intent>(path, intentSchema);
      if (!intent) continue;
      const end = endOf(intent);
      const isFinal = intent.state === 'abandoned' || intent.state === 'refused';
      const isKept = intent.state === 'done' && end.state !== 'abandoned';
      const isSame = end.state === 'open' && end.doubtSince === intent.doubtSince;
      if (isFinal || isKept || isSame) return intent;
      const isOurs = folder === this.#folder || end.state === 'open';
      const ended: Intent = { ...intent, ...end, ...(isOurs ? {} : { endedBy: this.#run }) };
      await this.#objects.write(path, ended, { durable: true });
      return ended;
    }
    throw new Error(`no intent with key ${key} in ${this.#folder}; begin it before it ends`);
  }
}

/** Where the intents of a step of a shard are kept. */
export function intentsFolder({ run, shard }: Origin, step: string): string {
  return `${shardFolder(run, shard)}/${encodeKey(step)}`;
}

/** True for a call that a run must know of when it takes its assets over. */
export function isBuiltOn({ state, versions }: Intent): boolean {
  return state === 'open' || (state === 'done' && versions !== undefined);
}

/** True where a run itself has begun or ended a call of one of its shards. */
export function isEndedBy({ isInherited, endedBy }: Intent, run: string): boolean {
  return !isInherited || endedBy === run;
}

/** True for a finished call whose answer came at this time or later. */
function hasMadeSince({ state, answer = {} }: Intent, sinceMs: number): boolean {
  if (state !== 'done') return false;
  return Object.values(answer).some(({ madeAtMs = 0 }) => madeAtMs >= sinceMs);
}

/** All calls of a shard, whatever their step. */
export function callsOfShard(objects: JsonObjects, { run, shard }: Origin): Promise<Intent[]> {
  return readAll(objects, shardFolder(run, shard));
}

async function readAll(objects: JsonObjects, folder: string): Promise<Intent[]> {
  const names = await objects.names(folder);
  const intents = await mapBounded(names, (name) =>
    objects.read<Intent>(`${folder}/${name}`, intentSchema),
  );
  return intents.filter((intent) => intent !== null);
}

function pathIn(folder: string, key: string): string {
  return `${folder}/${hashOf(key)}.json`;
}

export function byAge(a: Intent, b: Intent): number {
  if (a.createdAt === b.createdAt) return 0;
  return a.createdAt < b.createdAt ? -1 : 1;
}

/** Where the intents of a shard are kept, a folder a step. */
export function shardFolder(run: string, shard: number): string {
  return `runs/${encodeKey(run)}/intents/${String(shard).padStart(4, '0')}`;
}
