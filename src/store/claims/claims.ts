// A claim says which run works on an asset. It is created conditionally. A claim that is not `working`, or whose run is
// dead, can be taken over. If many runs try, exactly one succeeds.
//
// A file can be created conditionally, but not changed conditionally. Therefore every change goes through a ticket: an
// object that is named after the token of the claim that it replaces, and is created conditionally. The owner of the
// ticket replaces the claim and removes the ticket. A ticket that a crash has left is itself a claim and is replaced in
// the same way, so the last ticket of the chain counts.
import { randomUUID } from 'node:crypto';
import { assetFailures } from '../../failures/assets.ts';
import type { PlatformResource } from '../../plan/contract/contract.ts';
import { chunks } from '../../plan/helpers/chunks.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { Failure } from '../../plan/types.ts';
import type { Origin } from '../calls/intents.ts';
import { DamagedObjectError, ignoreDamage, type JsonObjects } from '../objects/json-objects.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { NameTable } from '../objects/name-table.ts';
import { encodeKey } from '../objects/object-name.ts';
import { resourcesOf } from '../records/platform-resources.ts';
import type { MovedFrom } from '../records/records.ts';
import { canReuseWork, isObjectVersion } from '../records/source-version.ts';
import { excludeResources } from '../records/superseded-resources.ts';

const folder = 'claims';
/** No asset key contains this character. */
const movePrefix = '\u001f';
const encodedMovePrefix = encodeKey(movePrefix);
const schema = 'renderline/claim/v1';
/**
 * Age of an unreadable claim. A younger one may not be complete yet. An older one counts as truncated. Claims are
 * written durably before anything is sent, so the run of a truncated claim has not sent anything.
 */
const damagedClaimExpiresMs = 60_000;
/** Maximum number of origins of a claim. Older runs have finalized, or their idempotency keys have expired. */
const maxOrigins = 8;
/** Maximum number of undelivered resources in a claim, since a file may fail in every version. */
const maxUndelivered = 20;
/** Maximum number of attempts. Each failed attempt means that another run has just changed the claim. */
const maxRounds = 50;

/** `to` is the name of the record to be written. It is set only in claims on records. */
export type ClaimedMove = MovedFrom & { to?: string };

export interface Claim {
  schema: typeof schema;
  /** Changes with every change of the claim. */
  token: string;
  key: string;
  run: string;
  lineage: string;
  /** Id of the Temporal namespace of the run. Only that namespace knows whether the run is open. */
  temporal?: string;
  shard: number;
  /** Platform id of the asset's source. Absent for files. */
  sourceId?: string;
  version: string;
  recipe: string;
  /** Time in ISO 8601 format. */
  at: string;
  /** `working` is valid as long as the run is open. In the other states any run may take the claim, with its ids. */
  state: 'working' | 'failed' | 'cancelled' | 'skipped';
  platformIds?: PlatformIds;
  failure?: Failure;
  /** Tokens whose tickets led to this claim. A crash may have left those tickets. */
  replaced?: string[];
  /** Shards of earlier runs that the asset was taken over from, latest last. */
  from?: Origin[];
  /** Set for an asset that takes over the record of another key. The ids in that record are not the asset's own. */
  moved?: ClaimedMove;
  /** Resources created for earlier versions of the source that were never delivered. */
  undeliveredResources?: PlatformResource[];
}

export interface ClaimRequest {
  key: string;
  sourceId?: string | undefined;
  version: string;
  /** @default the run's recipe */
  recipe?: string;
  shard: number;
  platformIds?: PlatformIds;
  moved?: ClaimedMove | undefined;
}

export type ClaimHolder = Pick<Claim, 'run' | 'shard' | 'temporal' | 'at'>;

export interface HolderOptions {
  /** True if this run, or its shard, is still open. Called only for runs of the same Temporal namespace. */
  isAlive: (holder: ClaimHolder) => Promise<boolean>;
  /**
   * Claims of other Temporal servers that are at least this old are taken over, because a person has declared their
   * runs dead and this server cannot be asked about them. If null or absent, the claims stay valid.
   */
  takeOverMs?: number | null;
}

export interface ClaimOptions extends HolderOptions {
  /** True if a claim that belongs to another platform object is never taken over, regardless of its state. */
  isNewKey?: boolean;
  /** Returns the ids of the old claim that may be reused. They are stored in the new claim. */
  adopt?: (oldClaim: Claim) => Promise<PlatformIds>;
}

export type ClaimResult = { isOurs: true; claim: Claim } | { isOurs: false; by: Claim };

export interface ClaimOwner {
  run: string;
  lineage: string;
  recipe: string;
  temporal?: string;
}

class ClaimContentionError extends Error {
  override name = 'ClaimContentionError';
  readonly code = assetFailures.CLAIM_CONTENTION.code;

  constructor(key: string) {
    super(`the claim of "${key}" keeps changing; check which runs work on the asset, then retry`);
  }
}

export type ClaimedKeys = Pick<ReadonlySet<string>, 'has'>;

export class Claims {
  readonly #objects: JsonObjects;
  readonly #owner: ClaimOwner;
  readonly #now: () => number;

  constructor(objects: JsonObjects, owner: ClaimOwner, now: () => number) {
    this.#objects = objects;
    this.#owner = owner;
    this.#now = now;
  }

  /** Returns encoded keys with a claim in any state. Lists once. @param moves receives names of claims on records */
  async names(signal?: AbortSignal, moves: string[] = []): Promise<NameTable> {
    const names = new NameTable();
    for await (const name of this.#objects.eachName(folder, signal)) {
      if (!name.endsWith('.json')) continue;
      const encoded = name.slice(0, -'.json'.length);
      if (encoded.startsWith(encodedMovePrefix)) moves.push(encoded);
      else names.add(encoded);
    }
    return names;
  }

  /** Yields all claims and tickets by encoded key. A claim is null if it was deleted in the meantime or is damaged. */
  async *all(signal?: AbortSignal): AsyncGenerator<{ key: string; claim: Claim | null }> {
    const names = await this.#objects.names(folder, signal);
    for (const page of chunks(names, 256)) {
      const read = async (name: string) => {
        const key = name.replace(/\.json$|~[^~]*\.ticket$/, '');
        const reading = this.#objects.read<Claim>(`${folder}/${name}`, schema);
        return { key, claim: await reading.catch(ignoreDamage) };
      };
      yield* await mapBounded(page, read, { maxConcurrent: 32, signal });
    }
  }

  /** Reads the claim that counts for a key, or null. */
  async read(key: string): Promise<Claim | null> {
    const chain = await this.#chain(key);
    return chain.at(-1) ?? null;
  }

  /** Like `read`, for an encoded key. Also returns null if the claim is damaged. */
  async readNamed(encoded: string): Promise<Claim | null> {
    const reading = this.#objects.read<Claim>(`${folder}/${encoded}.json`, schema);
    const claim = await reading.catch(ignoreDamage);
    return claim && this.read(claim.key);
  }

  /**
   * Claims an asset for this run, unless an open run, a recent unreadable claim or, with `isNewKey`, a claim of
   * another platform object holds it. Safe to repeat.
   */
  async claim(
    request: ClaimRequest,
    { isNewKey = false, adopt, ...holderOptions }: ClaimOptions,
  ): Promise<ClaimResult> {
    const ownClaim = this.#newClaim(request, 'working');
    for (let round = 0; round < maxRounds; round += 1) {
      if (await this.#create(ownClaim)) return { isOurs: true, claim: ownClaim };
      const chain = await this.#chain(request.key);
      const current = chain.at(-1);
      if (!current) continue;
      if (isNewKey && isOfOtherObject(current, request.sourceId))
        return { isOurs: false, by: current };
      if (current.state === 'working') {
        const isSameRun = current.run === this.#owner.run;
        if (isSameRun && chain.length === 1) return { isOurs: true, claim: current };
        if (!isSameRun && (await this.isHeld(current, holderOptions)))
          return { isOurs: false, by: current };
      }
      const platformIds = { ...(await adopt?.(current)), ...request.platformIds };
      const next = {
        ...this.#newClaim({ ...request, platformIds }, 'working'),
        // Responses that arrive while ids are adopted must be later than the claim.
        at: ownClaim.at,
        ...this.#originsOf(current),
        ...undeliveredResourcesOf(current, request.version),
      };
      if (await this.#replace(chain, next)) return { isOurs: true, claim: next };
    }
    throw new ClaimContentionError(request.key);
  }

  /** True if the run of a `working` claim may still work on the asset. */
  async isHeld(
    holder: ClaimHolder,
    { isAlive, takeOverMs = null }: HolderOptions,
  ): Promise<boolean> {
    // A recent unreadable claim may not be complete yet, and does not name its run.
    if (holder.run === '') return true;
    if (!this.isElsewhere(holder)) return isAlive(holder);
    return takeOverMs === null || this.#now() - Date.parse(holder.at) < takeOverMs;
  }

  /** True if the run belongs to another Temporal server, which cannot be asked whether the run is open. */
  isElsewhere({ temporal }: ClaimHolder): boolean {
    return temporal !== undefined && temporal !== this.#owner.temporal;
  }

  /** Releases the claim of an asset, unless another run has taken the claim. */
  async release(key: string): Promise<void> {
    const current = await this.#readOne(pathOf(key), key);
    if (current?.run !== this.#owner.run) return;
    await this.#objects.remove(pathOf(key));
    await this.#removeTickets(key, current.replaced ?? []);
  }

  async removeIfUnchanged({ key, token, replaced = [] }: Claim): Promise<void> {
    if ((await this.read(key))?.token !== token) return;
    await this.#objects.remove(pathOf(key));
    await this.#removeTickets(key, [...replaced, token]);
  }

  /** Ends this run's work on an asset and leaves ids and failure for the next run that claims the asset. */
  async markFree(
    request: ClaimRequest,
    state: Exclude<Claim['state'], 'working'>,
    failure: Failure | null,
  ): Promise<void> {
    const next: Claim = { ...this.#newClaim(request, state), ...(failure ? { failure } : {}) };
    for (let round = 0; round < maxRounds; round += 1) {
      if (await this.#create(next)) return;
      const chain = await this.#chain(request.key);
      const current = chain.at(-1);
      if (!current) continue;
      // Nothing is done if another run has taken the asset over, because its claim is newer.
      if (current.run !== this.#owner.run) return;
      const keptFields = {
        ...this.#originsOf(current),
        ...undeliveredResourcesOf(current, request.version),
      };
      if (await this.#replace(chain, { ...next, ...keptFields })) return;
    }
    throw new ClaimContentionError(request.key);
  }

  #originsOf({ run, shard, from = [] }: Claim): Pick<Claim, 'from'> {
    const hasNoOrigin = run === '' || run === this.#owner.run;
    const origins = hasNoOrigin ? from : [...from, { run, shard }];
    return origins.length > 0 ? { from: origins.slice(-maxOrigins) } : {};
  }

  #newClaim(request: ClaimRequest, state: Claim['state']): Claim {
    const { key, sourceId, version, shard, platformIds = {}, moved } = request;
    return {
      schema,
      token: randomUUID(),
      key,
      ...omitUndefined({ sourceId }),
      ...this.#owner,
      recipe: request.recipe ?? this.#owner.recipe,
      shard,
      version,
      at: new Date(this.#now()).toISOString(),
      state,
      ...(Object.keys(platformIds).length > 0 ? { platformIds } : {}),
      ...omitUndefined({ moved }),
    };
  }

  async #create(claim: Claim): Promise<boolean> {
    return (await this.#objects.write(pathOf(claim.key), claim, { ifAbsent: true })) === 'written';
  }

  /** Replaces the claim at the end of the chain. Returns false if another run was faster. */
  async #replace(chain: readonly Claim[], next: Claim): Promise<boolean> {
    const last = chain.at(-1);
    if (!last) return false;
    const ticket = ticketOf(next.key, last.token);
    if ((await this.#objects.write(ticket, next, { ifAbsent: true })) !== 'written') return false;
    // The claim may have been replaced, and the winner's ticket removed, before this ticket was created.
    const now = await this.#chain(next.key);
    if (now.at(-1)?.token !== next.token) {
      await this.#objects.remove(ticket);
      return false;
    }
    const replaced = chain.map(({ token }) => token);
    const replacement: Claim = { ...next, replaced };
    await this.#objects.write(pathOf(next.key), replacement);
    const older = chain.flatMap((claim) => claim.replaced ?? []);
    await this.#removeTickets(next.key, [...older, ...replaced]);
    return true;
  }

  async #removeTickets(key: string, tokens: readonly string[]): Promise<void> {
    for (const token of tokens) await this.#objects.remove(ticketOf(key, token));
  }

  /** Returns the claim and the tickets that follow from it. The last one counts. */
  async #chain(key: string): Promise<Claim[]> {
    const chain: Claim[] = [];
    let next = await this.#readOne(pathOf(key), key);
    while (next) {
      // A damaged claim and its damaged ticket have the same token if they were written in the same millisecond.
      if (chain.at(-1)?.token === next.token) break;
      chain.push(next);
      next = await this.#readOne(ticketOf(key, next.token), key);
    }
    return chain;
  }

  async #readOne(path: string, key: string): Promise<Claim | null> {
    try {
      return await this.#objects.read<Claim>(path, schema);
    } catch (error) {
      if (!(error instanceof DamagedObjectError)) throw error;
    }
    const writtenAtMs = await this.#objects.writtenAtMs(path);
    if (writtenAtMs === null) return null;
    // The store may have its own clock, so the claim must be expired by the injected and by the system's clock.
    const isDead = Math.min(this.#now(), Date.now()) - writtenAtMs > damagedClaimExpiresMs;
    // A placeholder for the unreadable claim. Its token is the same for everyone who finds the claim damaged.
    return {
      ...this.#newClaim({ key, version: '', shard: 0 }, isDead ? 'failed' : 'working'),
      token: `damaged-${writtenAtMs}`,
      run: '',
      lineage: '',
      at: new Date(writtenAtMs).toISOString(),
    };
  }
}

/** Returns the key of the claim on a record. */
export function moveClaimKey(record: string): string {
  return `${movePrefix}${record}`;
}

/** True if the claim, or the source of a record, is a platform object with a different id. */
export function isOfOtherObject(
  { sourceId }: { sourceId?: string | undefined },
  id: string | undefined,
): boolean {
  return sourceId !== undefined && id !== undefined && sourceId !== id;
}

/**
 * Returns the undelivered resources of a claim. Includes its own resources if `currentRecipe` is another version of the
 * source. Objects taken from the platform, and ids from another key, are left out, because they are not ours to delete.
 */
function undeliveredResourcesOf(
  { version, platformIds = {}, moved, undeliveredResources = [] }: Claim,
  currentRecipe: string,
) {
  const isOthers = moved !== undefined || isObjectVersion(version);
  const ownResources =
    canReuseWork(version, currentRecipe) || isOthers ? [] : resourcesOf({ platformIds });
  const resources = [
    ...undeliveredResources,
    ...excludeResources(ownResources, undeliveredResources),
  ];
  return resources.length > 0 ? { undeliveredResources: resources.slice(-maxUndelivered) } : {};
}

function pathOf(key: string): string {
  return `${folder}/${encodeKey(key)}.json`;
}

function ticketOf(key: string, token: string): string {
  return `${folder}/${encodeKey(key)}~${token}.ticket`;
}
