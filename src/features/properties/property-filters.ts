// Converts the property conditions of a pipeline file, which use names, to filters of the API, which use ids.
import type { PropertyFilter } from '../../api/operations/assets.ts';
import type { PropertyDefinitions } from './property-definitions.ts';

/** Has at most one condition; without one the property must have some value. */
export interface NamedFilter {
  property: string;
  options?: readonly string[] | undefined;
  text?: string | undefined;
  min?: number | undefined;
  max?: number | undefined;
  /** ISO 8601. */
  after?: string | undefined;
  before?: string | undefined;
  isEmpty?: true | undefined;
}

/** @throws RunCauseError for an unknown property or option */
export function toPropertyFilters(
  filters: readonly NamedFilter[],
  definitions: PropertyDefinitions,
): PropertyFilter[] {
  return filters.map(({ property, options, after, before, ...conditions }) => {
    const definition = definitions.property(property);
    return {
      propertyId: definition.id,
      ...(options
        ? { optionIds: options.map((called) => definitions.option(definition, called)) }
        : {}),
      ...(after === undefined ? {} : { after: Date.parse(after) }),
      ...(before === undefined ? {} : { before: Date.parse(before) }),
      ...conditions,
    };
  });
}
