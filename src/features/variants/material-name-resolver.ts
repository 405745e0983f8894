// Resolves names of library materials to ids. A name that matches no or several materials stops the run.

import type { Client } from '../../api/client.ts';
import { readMonotonicMs } from '../../api/clock.ts';
import { listPages } from '../../api/pages.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import { isSameName, spellingsOf, toVisibleName } from '../../api/requests/name-comparison.ts';
import { suggestName } from '../../api/requests/nearest-name.ts';
import { collectCauses } from '../../engine/collect-causes.ts';
import { CachedList } from '../../engine/discovery/cached-list.ts';
import type { NameLookUpDeps } from '../../engine/discovery/name-look-up-deps.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import { nullIfNotFound } from '../../engine/null-if-not-found.ts';
import { sharePerPoller } from '../../engine/polling/poller-context.ts';
import { chunks } from '../../plan/helpers/chunks.ts';
import type { SwapRule } from '../slots/swap-rule.ts';
import { colorwayCauses } from './failures.ts';

/** Maximum number of cached materials per worker. */
const maxRemembered = 5_000;
const maxNamesShown = 5;
/** Maximum number of materials in a list for people. */
const maxListed = 200;
/** Maximum number of ids that the platform accepts in one status request. */
const idsPerRequest = 100;
/** Fewer names are searched for one by one, because the first page of a large library may have been read in vain. */
export const minNamesToList = 3;

/** Matches colours that people write where a material is expected: `#0c2340`, `rgb(…)`, `RAL 5010`. */
const colorValue = /^(?:#[\da-f]{3,8}|(?:rgb|hsl)a?\(.*\)|ral[ -]?\d{3,4}.*)$/i;
const colorHint =
  ', and a material is expected, not a colour value: create a material of the colour with a node of the type pantone, or on the platform, and use its name';

type MaterialChoice = Pick<SwapRule, 'material' | 'materialId'>;

interface Material {
  materialId: string;
  name?: string | undefined;
}

interface MaterialList {
  materials: Material[];
  /** True if the library has more materials than `materials`. */
  hasMore: boolean;
}

export class MaterialNameResolver {
  readonly #client: Client;
  readonly #list: CachedList<MaterialList>;
  /** Ids by run and choice. */
  readonly #idByChoice = new Map<string, Promise<string>>();

  constructor(client: Client, now: () => number = readMonotonicMs) {
    this.#client = client;
    this.#list = new CachedList(now);
  }

  /** Lists the newest materials, with at most three requests for a library of any size. */
  list(requestCounter: RequestCounter): Promise<MaterialList> {
    return this.#list.get(async () => {
      const materials: MaterialList['materials'] = [];
      for await (const material of this.#search(undefined, requestCounter)) {
        if (materials.length === maxListed) return { materials, hasMore: true };
        materials.push(material);
      }
      return { materials, hasMore: false };
    });
  }

  /**
   * Returns the ids of ready materials, in the order of the choices. Each material is looked up once per run.
   * @throws RunCauseError that lists all missing or ambiguous materials, or else all that are not ready
   */
  resolve(
    run: string,
    choices: readonly MaterialChoice[],
    requests: RequestCounter,
  ): Promise<string[]> {
    const nameOf = ({ material = '', materialId = '' }: MaterialChoice) =>
      JSON.stringify([run, material, materialId]);
    const openChoices = new Map<string, MaterialChoice>();
    const results = new Map<string, Promise<string>>();
    for (const choice of choices) {
      const knownId = this.#idByChoice.get(nameOf(choice));
      if (knownId === undefined) openChoices.set(nameOf(choice), choice);
      else results.set(nameOf(choice), knownId);
    }
    const pendingIds = this.#resolve([...openChoices.values()], requests);
    if (this.#idByChoice.size >= maxRemembered) this.#idByChoice.clear();
    [...openChoices.keys()].forEach((name, index) => {
      const id = pendingIds.then((ids) => ids[index] ?? '');
      // Failures are not cached, because a person may repair the library before resuming the run.
      id.catch(() => this.#idByChoice.delete(name));
      this.#idByChoice.set(name, id);
      results.set(name, id);
    });
    return Promise.all(choices.flatMap((choice) => results.get(nameOf(choice)) ?? []));
  }

  async #resolve(choices: readonly MaterialChoice[], requests: RequestCounter): Promise<string[]> {
    const names = choices.filter(({ materialId }) => materialId === undefined);
    const library = await this.#listIfCheaper(names.length, requests);
    const ids = await collectCauses(
      choices,
      ({ material, materialId }) => materialId ?? this.#idOf(material ?? '', library, requests),
    );
    await this.#checkReady([...new Set(ids)], requests);
    return ids;
  }

  /** Lists the whole library if this takes fewer requests than a search for each name. Otherwise returns null. */
  async #listIfCheaper(names: number, requestCounter: RequestCounter): Promise<Material[] | null> {
    if (names < minNamesToList) return null;
    const request = { query: { limit: idsPerRequest } };
    const options = { requestCounter, priority: 'create' as const };
    const { materials, total } = await this.#client.listMaterials(request, options);
    if (total === undefined || total <= materials.length)
      return total === undefined ? null : materials;
    const pages = Math.ceil(total / materials.length);
    if (pages >= names) return null;
    const library: Material[] = [];
    for await (const material of this.#search(undefined, requestCounter)) library.push(material);
    return library;
  }

  /** @param library all materials. Null to search for the name */
  async #idOf(
    name: string,
    library: readonly Material[] | null,
    requestCounter: RequestCounter,
  ): Promise<string> {
    const nameById = new Map<string, string>();
    const otherNames = new Set<string>();
    // The platform's search may be sensitive to Unicode encodings and invisible characters.
    const searches = new Set([...spellingsOf(name), toVisibleName(name)]);
    searches.delete('');
    const search = (text: string) => this.#search(text, requestCounter);
    for (const materials of library ? [library] : [...searches].map(search)) {
      for await (const { name: materialName, materialId } of materials) {
        if (materialName === undefined) continue;
        // The search is fuzzy, so only exact matches of the name count.
        if (isSameName(materialName, name)) nameById.set(materialId, materialName);
        else if (library || otherNames.size < maxNamesShown) otherNames.add(materialName);
      }
      if (nameById.size > 0) break;
    }
    const exactMatches = [...nameById].filter(([, materialName]) => materialName === name);
    const ofName = (exactMatches.length > 0 ? exactMatches : [...nameById]).map(([id]) => id);
    const [only] = ofName;
    if (only !== undefined && ofName.length === 1) return only;
    if (ofName.length > 1) {
      const ids = ofName.slice(0, 10).join(', ');
      const message = `${ofName.length} materials are named "${name}": ${ids}`;
      throw new RunCauseError(colorwayCauses.MATERIAL_AMBIGUOUS, message, { named: name });
    }
    const foundNames = library ? [] : [...otherNames];
    const suggestion = suggestName(name, otherNames);
    const isColor = suggestion === null && colorValue.test(name);
    const hint = isColor ? colorHint : formatHint(suggestion, foundNames);
    const message = `no material is named "${name}"${hint}`;
    throw new RunCauseError(colorwayCauses.MATERIAL_NOT_FOUND, message, { named: name });
  }

  #search(search: string | undefined, requestCounter: RequestCounter) {
    const call = { requestCounter, priority: 'create' as const };
    const query = search === undefined ? {} : { search };
    return listPages('listMaterials', this.#client.listMaterials, query, { call });
  }

  async #checkReady(ids: readonly string[], requestCounter: RequestCounter): Promise<void> {
    await collectCauses(chunks(ids, idsPerRequest), async (materialIds) => {
      const options = { requestCounter, priority: 'create' as const };
      const request = { body: { materialIds } };
      const { materials } = await this.#client.checkMaterialStatus(request, options);
      const statuses = new Map(materials.map((material) => [material.materialId, material]));
      await collectCauses(materialIds, async (id) => {
        const { status, error } = statuses.get(id) ?? { status: 'missing', error: null };
        if (status !== 'ready')
          throw await this.#explainUnready(id, status, error ?? null, requestCounter);
      });
    });
  }

  /** The status response leaves out missing materials, so the material itself is read. */
  async #explainUnready(
    id: string,
    status: string,
    reason: string | null,
    requestCounter: RequestCounter,
  ): Promise<RunCauseError> {
    const { MATERIAL_NOT_FOUND, MATERIAL_FAILED, MATERIAL_NOT_READY } = colorwayCauses;
    const params = { materialId: id };
    const options = { requestCounter, priority: 'create' as const };
    const material = await nullIfNotFound(() => this.#client.getMaterial({ params }, options));
    if (material === null) {
      const message = `no material has the id "${id}"`;
      return new RunCauseError(MATERIAL_NOT_FOUND, message, { named: `id:${id}` });
    }
    const reasonNote = reason === null ? '' : `: ${reason}`;
    const message = `material ${material.name ?? 'without a name'} (${id}) is ${status}; swap rules can use only materials that are ready${reasonNote}`;
    return new RunCauseError(status === 'failed' ? MATERIAL_FAILED : MATERIAL_NOT_READY, message);
  }
}

/** @param foundNames names that the search has found */
function formatHint(suggestion: string | null, foundNames: readonly string[]): string {
  if (suggestion !== null) return `; ${suggestion}`;
  const nameList = foundNames.map((other) => `"${other}"`).join(', ');
  return nameList === '' ? '' : `; the search found ${nameList}`;
}

export const materialNameResolver = sharePerPoller(
  ({ client, monotonicNow }) => new MaterialNameResolver(client, monotonicNow),
);

/** @throws RunCauseError for a material that does not exist, is not ready, or has an ambiguous name */
export function resolveMaterials(
  rules: readonly SwapRule[],
  { pollerContext, run, requests }: NameLookUpDeps,
): Promise<string[]> {
  return materialNameResolver(pollerContext).resolve(run.run, rules, requests);
}
