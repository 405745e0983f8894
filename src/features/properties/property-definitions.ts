// Finds the workspace's property definitions and options by name.

import type { Client } from '../../api/client.ts';
import type { ResponseOf } from '../../api/contract/response-marks.ts';
import type { AssetType, PropertyDefinition } from '../../api/operations/properties.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import { isSameName as isSameText } from '../../api/requests/name-comparison.ts';
import { nearestHint } from '../../api/requests/nearest-name.ts';
import { readWithRetry } from '../../engine/discovery/read-with-retry.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import { uniqueById } from '../../engine/unique-by-id.ts';
import { createIdMatcher } from '../../store/search/id-spelling.ts';
import { propertyFailures } from './failures.ts';

type ListedDefinition = ResponseOf<typeof PropertyDefinition>;
type Option = NonNullable<ListedDefinition['options']>[number];

/** A definition. Its name is the id if the platform gives no name. */
export interface NamedDefinition extends Pick<ListedDefinition, 'id' | 'key' | 'type'> {
  name: string;
  options: readonly (Option & { label: string })[];
}

export class PropertyDefinitions {
  readonly #definitions: readonly NamedDefinition[];

  constructor(definitions: readonly NamedDefinition[]) {
    this.#definitions = definitions;
  }

  /** @param assetType null: the properties of all types */
  static async read(
    client: Client,
    assetType: AssetType | null,
    requests: RequestCounter,
    signal: AbortSignal | undefined,
  ): Promise<PropertyDefinitions> {
    const options = { priority: 'create' as const, scope: requests, ...(signal ? { signal } : {}) };
    const { properties } = await readWithRetry(
      () => client.listProperties({ query: assetType === null ? {} : { assetType } }, options),
      signal,
    );
    return new PropertyDefinitions(uniqueById(properties, ({ id }) => id).map(definitionOf));
  }

  get all(): readonly NamedDefinition[] {
    return this.#definitions;
  }

  /**
   * Finds a property by id, key or name, ignoring the case of names.
   * @throws RunCauseError if there is none, or several have the name
   */
  property(nameOrId: string): NamedDefinition {
    const named = this.#definitions.filter(({ name }) => isSameName(name, nameOrId));
    const isId = createIdMatcher(nameOrId);
    const exact = this.#definitions.find(({ id, key }) => isId(id) || key === nameOrId);
    const found = exact ?? (named.length === 1 ? named[0] : undefined);
    if (found) return found;
    if (named.length > 1) {
      const ids = named.map(({ id }) => id).join(', ');
      const message = `${named.length} properties are named "${nameOrId}": ${ids}`;
      throw new RunCauseError(propertyFailures.PROPERTY_AMBIGUOUS, message);
    }
    const names = this.#definitions.map(({ name }) => name);
    const message = `the workspace has no property "${nameOrId}" for these assets; ${suggestNames(nameOrId, names)}`;
    throw new RunCauseError(propertyFailures.PROPERTY_NOT_FOUND, message);
  }

  /** Id of an open option, by id or label. @throws RunCauseError if there is none, or several have the label */
  option({ name, options }: NamedDefinition, nameOrId: string): string {
    const open = options.filter(isOpen);
    const isId = createIdMatcher(nameOrId);
    const exact = open.find(({ id }) => isId(id));
    const labelled = open.filter(({ label }) => isSameName(label, nameOrId));
    const found = exact ?? (labelled.length === 1 ? labelled[0] : undefined);
    if (found) return found.id;
    if (labelled.length > 1) {
      const ids = labelled.map(({ id }) => id).join(', ');
      const message = `${labelled.length} options of the property "${name}" are labelled "${nameOrId}": ${ids}`;
      throw new RunCauseError(propertyFailures.OPTION_AMBIGUOUS, message);
    }
    const labels = open.map(({ label }) => label);
    const message = `the property "${name}" has no option "${nameOrId}"; ${suggestNames(nameOrId, labels)}`;
    throw new RunCauseError(propertyFailures.OPTION_NOT_FOUND, message);
  }
}

/** True for an option that new values may take. */
export function isOpen({ archived }: Option): boolean {
  return archived !== true;
}

function definitionOf({ id, key, type, name = id, options }: ListedDefinition): NamedDefinition {
  const distinct = uniqueById(options ?? [], (option) => option.id);
  const labelled = distinct.map((option) => ({ ...option, label: option.label ?? option.id }));
  return { id, key, type, name, options: labelled };
}

function isSameName(one: string, other: string): boolean {
  return isSameText(one.toLowerCase(), other.toLowerCase());
}

function suggestNames(nameOrId: string, known: readonly string[]): string {
  const near = nearestHint(nameOrId, known);
  if (near !== null) return near;
  return known.length === 0 ? 'there are none' : `there are: ${known.slice(0, 20).join(', ')}`;
}
