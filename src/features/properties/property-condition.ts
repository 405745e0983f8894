// Property conditions in a selection of models.
import { z } from 'zod';
import type { PropertyFilter } from '../../api/operations/assets.ts';
import { dateField } from '../../language/fields.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { PropertyDefinitions } from './property-definitions.ts';

const date = dateField.describe('Date, such as 2026-01-31; inclusive.');

/** Conditions that exclude each other. `min` with `max`, and `after` with `before`, each form one condition. */
const conditions = [['options'], ['text'], ['min', 'max'], ['after', 'before'], ['isEmpty']];

export const PropertyCondition = z
  .strictObject({
    property: z.string().min(1).describe('Name, key or id of the property.'),
    options: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('Labels or ids of options; the property must have at least one of them.'),
    text: z
      .string()
      .min(1)
      .optional()
      .describe('Text that the value must contain; case is ignored.'),
    min: z.number().optional().describe('Minimum value, inclusive.'),
    max: z.number().optional().describe('Maximum value, inclusive.'),
    after: date.optional(),
    before: date.optional(),
    isEmpty: z.literal(true).optional().describe('The property must have no value.'),
  })
  .refine(
    (filter) => conditions.filter((fields) => fields.some((field) => field in filter)).length <= 1,
    {
      message:
        'must have exactly one condition: options, text, min and max, after and before, or isEmpty',
    },
  )
  .refine(({ min, max }) => min === undefined || max === undefined || min <= max, {
    message: 'has a min greater than its max',
  })
  .refine(({ after, before }) => after === undefined || before === undefined || after <= before, {
    message: 'has an after date later than its before date',
  });

/** Contains at most one condition. Without a condition, the property must have some value. */
export type PropertyCondition = z.output<typeof PropertyCondition>;

/**
 * Converts conditions to filters of the API, which use ids.
 * @throws RunCauseError for an unknown or ambiguous property or option
 */
export function toPropertyFilters(
  filters: readonly PropertyCondition[],
  definitions: PropertyDefinitions,
): PropertyFilter[] {
  return filters.map(({ property, options, after, before, ...otherConditions }) => {
    const definition = definitions.property(property);
    return {
      propertyId: definition.id,
      ...omitUndefined({
        optionIds: options?.map((nameOrId) => definitions.option(definition, nameOrId)),
        after: startOf(after),
        before: startOf(before),
      }),
      ...otherConditions,
    };
  });
}

function startOf(day: string | undefined): number | undefined {
  return day === undefined ? undefined : Date.parse(day);
}
