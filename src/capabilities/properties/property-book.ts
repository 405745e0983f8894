// Finds the workspace's property definitions and options by name.
import type { AnswerOf } from '../../api/answer-parts.ts';
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { isSameName as isSameText } from '../../api/look-alike.ts';
import { nearestHint } from '../../api/nearest-name.ts';
import type { AssetType, PropertyDefinition } from '../../api/operations/properties.ts';
import { readPatiently } from '../../machinery/discovery/read-patiently.ts';
import { RunCauseError } from '../../machinery/engine-errors.ts';
import { onceEach } from '../../machinery/once-each.ts';
import { propertyFailures } from './failures.ts';

type Shown = AnswerOf<typeof PropertyDefinition>;
type Option = NonNullable<Shown['options']>[number];

/** A definition with a name; its id if the platform gives no name. */
export interface Definition extends Pick<Shown, 'id' | 'key' | 'type'> {
  name: string;
  options: readonly (Option & { label: string })[];
}

export class PropertyBook {
  readonly #definitions: readonly Definition[];

  constructor(definitions: readonly Definition[]) {
    this.#definitions = definitions;
  }

  static async read(
    client: Client,
    assetType: AssetType,
    requests: RequestCounter,
    signal: AbortSignal | undefined,
  ): Promise<PropertyBook> {
    const options = { priority: 'create' as const, scope: requests, ...(signal ? { signal } : {}) };
    const { properties } = await readPatiently(
      () => client.listProperties({ query: { assetType } }, options),
      signal,
    );
    return new PropertyBook(onceEach(properties, ({ id }) => id).map(definitionOf));
  }

  /**
   * Finds a property by id, key or name, ignoring the case of names.
   * @throws RunCauseError if there is none, or several have the name
   */
  property(called: string): Definition {
    const named = this.#definitions.filter(({ name }) => isSameName(name, called));
    const exact = this.#definitions.find(({ id, key }) => id === called || key === called);
    const found = exact ?? (named.length === 1 ? named[0] : undefined);
    if (found) return found;
    if (named.length > 1) {
      const ids = named.map(({ id }) => id).join(', ');
      const message = `${named.length} properties are named "${called}": ${ids}`;
      throw new RunCauseError(propertyFailures.PROPERTY_AMBIGUOUS, message);
    }
    const names = this.#definitions.map(({ name }) => name);
    const message = `the workspace has no property "${called}" for these assets; ${hint(called, names)}`;
    throw new RunCauseError(propertyFailures.PROPERTY_NOT_FOUND, message);
  }

  /**
   * The id of a select property's option, found by id or label.
   * @throws RunCauseError if there is none, or several have the label
   */
  option({ name, options }: Definition, called: string): string {
    const open = options.filter(({ archived }) => !archived);
    const exact = open.find(({ id }) => id === called);
    const labelled = open.filter(({ label }) => isSameName(label, called));
    const found = exact ?? (labelled.length === 1 ? labelled[0] : undefined);
    if (found) return found.id;
    if (labelled.length > 1) {
      const ids = labelled.map(({ id }) => id).join(', ');
      const message = `${labelled.length} options of the property "${name}" are labelled "${called}": ${ids}`;
      throw new RunCauseError(propertyFailures.OPTION_AMBIGUOUS, message);
    }
    const labels = open.map(({ label }) => label);
    const message = `the property "${name}" has no option "${called}"; ${hint(called, labels)}`;
    throw new RunCauseError(propertyFailures.OPTION_NOT_FOUND, message);
  }
}

function definitionOf({ id, key, type, name = id, options }: Shown): Definition {
  const distinct = onceEach(options ?? [], (option) => option.id);
  const labelled = distinct.map((option) => ({ ...option, label: option.label ?? option.id }));
  return { id, key, type, name, options: labelled };
}

function isSameName(one: string, other: string): boolean {
  return isSameText(one.toLowerCase(), other.toLowerCase());
}

function hint(called: string, known: readonly string[]): string {
  const near = nearestHint(called, known);
  if (near !== null) return near;
  return known.length === 0 ? 'there are none' : `there are: ${known.slice(0, 20).join(', ')}`;
}
