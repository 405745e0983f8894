// Intents: the exact bytes of every creating call, written before the call is sent.
import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../../api/responses/bounded-json.ts';
import type { Connector } from '../../connectors/connector.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import { hasSchema, isMissingError, type JsonObjects } from '../objects/json-objects.ts';
import { encodeKey, hashOf, numberName, runFolder } from '../objects/object-name.ts';

export const intentSchema = 'renderline/intent/v1';

export interface Intent {
  schema: typeof intentSchema;
  operation: string;
  key: string;
  /** The exact body. Empty if there is none. */
  bodyText: string;
  params?: Record<string, string>;
  /** Asset keys in the order of the body's items. */
  assets: string[];
  /** Versions of the sources, in the same order. Set only for calls that upload files. */
  versions?: string[];
  /** Platform ids, by asset key, to keep together with the ids that the call creates. */
  known?: Record<string, PlatformIds>;
  /** Time in ISO 8601 format. */
  createdAt: string;
  /** `refused`: nothing was created. Repeating the key only repeats the response (docs/platform.md). */
  state: 'open' | 'done' | 'abandoned' | 'refused';
  /** Since when the call may have done its work without a readable response, ISO 8601. Absent if that is not known. */
  ambiguousSince?: string;
  /** Name of the render count that must include the call before it is sent. Absent if it may be sent uncounted. */
  countedIn?: string;
  /** Distinguishes repeated calls for the same purpose and assets, because their times may be equal. @default 0 */
  epoch?: number;
  /** Idempotency key of the earlier call that this call completes. */
  of?: string;
  /** The run that closed the intent, if another run had opened it. */
  closedBy?: string;
  /** True if the intent belongs to a shard that assets were taken over from. Not stored. */
  isInherited?: boolean;
  /** Platform ids by asset key. Signed URLs are never stored here. */
  result?: Record<string, PlatformIds>;
}

/** @throws SyntaxError if the text is not an intent, or is truncated */
export function parseIntent(text: string): Intent {
  const value = parseJson(text);
  if (hasSchema<Intent>(value, intentSchema)) return value;
  throw new SyntaxError(`not ${intentSchema}`);
}

/** Reads an intent. Returns null if it was deleted or is truncated. @throws ConnectorError if it cannot be read now */
export async function readIntentAt(connector: Connector, path: string): Promise<Intent | null> {
  try {
    return parseIntent((await connector.read(path)).toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || isMissingError(error)) return null;
    throw error;
  }
}

export type NewIntent = Omit<Intent, 'schema' | 'state' | 'result' | 'closedBy' | 'isInherited'>;

/** A shard of an earlier run whose assets were taken over. */
export interface Origin {
  run: string;
  shard: number;
}

interface Inheritance {
  /** Folders of the same step in the shards that the assets came from. */
  folders: readonly string[];
  /** When the assets were taken over, epoch ms. */
  atMs: number;
}

interface IntentsLocation {
  run: string;
  folder: string;
  inherited: () => Promise<Inheritance>;
}

/**
 * Intents of one step of one shard, and intents of the shards whose assets it took over. An unfinished intent must be
 * sent again before anything new.
 */
export class Intents {
  readonly #objects: JsonObjects;
  readonly #location: IntentsLocation;

  constructor(objects: JsonObjects, location: IntentsLocation) {
    this.#objects = objects;
    this.#location = location;
  }

  /**
   * All intents of this step and shard, oldest first. From shards that its assets were taken over from, includes
   * intents that are open, uploaded files, were closed by this run, or have an unread response after the takeover.
   */
  async list(): Promise<Intent[]> {
    const intents = await this.#objects.readAll<Intent>(this.#location.folder, intentSchema);
    const { run } = this.#location;
    const { folders, atMs } = await this.#location.inherited();
    for (const folder of folders) {
      const originCalls = await this.#objects.readAll<Intent>(folder, intentSchema);
      const inherited = originCalls.filter(
        (call) => isInheritableIntent(call) || call.closedBy === run || hasCreatedSince(call, atMs),
      );
      intents.push(...inherited.map((intent) => ({ ...intent, isInherited: true })));
    }
    return intents.sort(compareByCreation);
  }

  /** Writes an intent and returns it. If an intent with its key exists, the existing intent is returned instead. */
  async open(request: NewIntent): Promise<{ intent: Intent; isExisting: boolean }> {
    const path = intentPathOf(this.#location.folder, request.key);
    const intent: Intent = { schema: intentSchema, ...request, state: 'open' };
    const result = await this.#objects.write(path, intent, { ifAbsent: true });
    if (result === 'written') return { intent, isExisting: false };
    const existingIntent = await this.#objects.read<Intent>(path, intentSchema);
    if (!existingIntent) throw this.#objects.missingError(path, 'the intent of a call');
    return { intent: existingIntent, isExisting: true };
  }

  /** Stores what the call has created, by asset key. A closed intent is not changed. */
  async finish(key: string, result: Record<string, PlatformIds>): Promise<Intent> {
    return this.#end(key, (intent) => ({ ...intent, state: 'done', result }));
  }

  /** Closes the intent of a call whose result is unusable, even if the call has finished. Another call replaces it. */
  async abandon(key: string): Promise<Intent> {
    return this.#end(key, (intent) => ({ ...intent, state: 'abandoned' }));
  }

  /** Closes the intent of a call that the platform refused. A closed intent is not changed. */
  async refuse(key: string): Promise<Intent> {
    return this.#end(key, (intent) => ({ ...intent, state: 'refused' }));
  }

  /** Marks a call that failed but may have done its work, so that sending it again may do the work twice. */
  async markAmbiguous(key: string): Promise<Intent> {
    return this.#end(key, (intent) => ({
      ...intent,
      state: 'open',
      ambiguousSince: intent.ambiguousSince ?? intent.createdAt,
    }));
  }

  /** Removes `countedIn`, because the run that now sends the call does not count its renders there. */
  async forgetCount(key: string): Promise<Intent> {
    return this.#end(key, ({ countedIn: _left, ...intent }) => ({ ...intent, state: 'open' }));
  }

  async #end(key: string, endOf: (intent: Intent) => Intent): Promise<Intent> {
    const { run, folder: ownFolder, inherited } = this.#location;
    for (const folder of [ownFolder, ...(await inherited()).folders]) {
      const path = intentPathOf(folder, key);
      const intent = await this.#objects.read<Intent>(path, intentSchema);
      if (!intent) continue;
      const end = endOf(intent);
      const isFinal = intent.state === 'abandoned' || intent.state === 'refused';
      const isKept = intent.state === 'done' && end.state !== 'abandoned';
      const isSame = isDeepStrictEqual(end, intent);
      if (isFinal || isKept || isSame) return intent;
      const isOurs = folder === ownFolder || end.state === 'open';
      const endedIntent: Intent = { ...end, ...(isOurs ? {} : { closedBy: run }) };
      await this.#objects.write(path, endedIntent);
      return endedIntent;
    }
    throw this.#objects.missingError(intentPathOf(ownFolder, key), 'the intent of a call');
  }
}

export function intentsFolderOf({ run, shard }: Origin, step: string): string {
  return `${shardFolderOf(run, shard)}/${encodeKey(step)}`;
}

/** True for a call that a run must know about when it takes over the assets. */
export function isInheritableIntent({ state, versions }: Intent): boolean {
  return state === 'open' || (state === 'done' && versions !== undefined);
}

/** True for a call that the given run has opened or closed. */
export function isIntentHandledBy({ isInherited, closedBy }: Intent, run: string): boolean {
  return !isInherited || closedBy === run;
}

/** True for a finished call whose response arrived at this time or later. */
function hasCreatedSince({ state, result = {} }: Intent, sinceMs: number): boolean {
  if (state !== 'done') return false;
  return Object.values(result).some(({ lastCreatedAtMs = 0 }) => lastCreatedAtMs >= sinceMs);
}

export function callsOfShard(objects: JsonObjects, { run, shard }: Origin): Promise<Intent[]> {
  return objects.readAll(shardFolderOf(run, shard), intentSchema);
}

function intentPathOf(folder: string, key: string): string {
  return `${folder}/${hashOf(key)}.json`;
}

export function compareByCreation(a: Intent, b: Intent): number {
  if (a.createdAt === b.createdAt) return 0;
  return a.createdAt < b.createdAt ? -1 : 1;
}

/** Returns the folder of a shard's intents, with a folder for each step. */
export function shardFolderOf(run: string, shard: number): string {
  return `${runFolder(run)}/intents/${numberName(shard, 4)}`;
}
