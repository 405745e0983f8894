// Converts the property conditions of a pipeline file, which use names, to filters of the API, which use ids.
import type { PropertyFilter } from '../../api/operations/assets.ts';
import type { PropertyCondition } from './property-condition.ts';
import type { PropertyDefinitions } from './property-definitions.ts';

/** @throws RunCauseError for an unknown or ambiguous property or option */
export function toPropertyFilters(
  filters: readonly PropertyCondition[],
  definitions: PropertyDefinitions,
): PropertyFilter[] {
  return filters.map(({ property, options, after, before, ...conditions }) => {
    const definition = definitions.property(property);
    return {
      propertyId: definition.id,
      ...(options
        ? { optionIds: options.map((nameOrId) => definitions.option(definition, nameOrId)) }
        : {}),
      ...(after === undefined ? {} : { after: Date.parse(after) }),
      ...(before === undefined ? {} : { before: Date.parse(before) }),
      ...conditions,
    };
  });
}
