// Finds the workspace's property definitions and options by name.

import type { Client } from '../../api/client.ts';
import type { ResponseOf } from '../../api/contract/response-marks.ts';
import type { AssetType, PropertyDefinition } from '../../api/operations/properties.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import { isSameName as isSameText } from '../../api/requests/name-comparison.ts';
import { suggestName } from '../../api/requests/nearest-name.ts';
import { listOptions } from '../../engine/discovery/list-deps.ts';
import { readWithRetry } from '../../engine/discovery/read-with-retry.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import { removeDuplicateIds } from '../../engine/remove-duplicate-ids.ts';
import { createIdMatcher } from '../../store/search/id-spelling.ts';
import { propertyFailures } from './failures.ts';

type ListedDefinition = ResponseOf<typeof PropertyDefinition>;
type Option = NonNullable<ListedDefinition['options']>[number];

/** A definition. Its name is the id if the platform returns no name. */
export interface NamedDefinition extends Pick<ListedDefinition, 'id' | 'key' | 'type'> {
  name: string;
  options: readonly (Option & { label: string })[];
}

export class PropertyDefinitions {
  readonly #definitions: readonly NamedDefinition[];

  constructor(definitions: readonly NamedDefinition[]) {
    this.#definitions = definitions;
  }

  /** @param assetType null reads the properties of all types */
  static async read(
    client: Client,
    assetType: AssetType | null,
    requests: RequestCounter,
    signal: AbortSignal | undefined,
  ): Promise<PropertyDefinitions> {
    const options = listOptions({ requests }, signal);
    const { properties } = await readWithRetry(
      () => client.listProperties({ query: assetType === null ? {} : { assetType } }, options),
      signal,
    );
    return new PropertyDefinitions(
      removeDuplicateIds(properties, ({ id }) => id).map(definitionOf),
    );
  }

  get all(): readonly NamedDefinition[] {
    return this.#definitions;
  }

  /**
   * Finds a property by id, key or name, ignoring the case of names.
   * @throws RunCauseError if there is none, or several have the name
   */
  property(nameOrId: string): NamedDefinition {
    const matches = this.#definitions.filter(({ name }) => isSameName(name, nameOrId));
    const isId = createIdMatcher(nameOrId);
    const exactMatch = this.#definitions.find(({ id, key }) => isId(id) || key === nameOrId);
    const definition = exactMatch ?? (matches.length === 1 ? matches[0] : undefined);
    if (definition) return definition;
    if (matches.length > 1) {
      const ids = matches.map(({ id }) => id).join(', ');
      const message = `${matches.length} properties are named "${nameOrId}": ${ids}`;
      throw new RunCauseError(propertyFailures.PROPERTY_AMBIGUOUS, message);
    }
    const names = this.#definitions.map(({ name }) => name);
    const message = `the workspace has no property "${nameOrId}" for these assets; ${suggestNames(nameOrId, names)}`;
    throw new RunCauseError(propertyFailures.PROPERTY_NOT_FOUND, message);
  }

  /** Returns the id of an open option, by id or label. @throws RunCauseError if none or several match */
  option({ name, options }: NamedDefinition, nameOrId: string): string {
    const openOptions = options.filter(isOpenOption);
    const isId = createIdMatcher(nameOrId);
    const exactMatch = openOptions.find(({ id }) => isId(id));
    const labelMatches = openOptions.filter(({ label }) => isSameName(label, nameOrId));
    const option = exactMatch ?? (labelMatches.length === 1 ? labelMatches[0] : undefined);
    if (option) return option.id;
    if (labelMatches.length > 1) {
      const ids = labelMatches.map(({ id }) => id).join(', ');
      const message = `${labelMatches.length} options of the property "${name}" are labelled "${nameOrId}": ${ids}`;
      throw new RunCauseError(propertyFailures.OPTION_AMBIGUOUS, message);
    }
    const labels = openOptions.map(({ label }) => label);
    const message = `the property "${name}" has no option "${nameOrId}"; ${suggestNames(nameOrId, labels)}`;
    throw new RunCauseError(propertyFailures.OPTION_NOT_FOUND, message);
  }
}

/** True if new values may use the option. */
export function isOpenOption({ archived }: Option): boolean {
  return archived !== true;
}

function definitionOf({ id, key, type, name = id, options }: ListedDefinition): NamedDefinition {
  const labelled = (option: Option) => ({ ...option, label: option.label ?? option.id });
  const distinctOptions = removeDuplicateIds(options ?? [], (option) => option.id);
  return { id, key, type, name, options: distinctOptions.map(labelled) };
}

function isSameName(a: string, b: string): boolean {
  return isSameText(a.toLowerCase(), b.toLowerCase());
}

function suggestNames(nameOrId: string, names: readonly string[]): string {
  const suggestion = suggestName(nameOrId, names);
  if (suggestion !== null) return suggestion;
  return names.length === 0 ? 'there are none' : `there are: ${names.slice(0, 20).join(', ')}`;
}
