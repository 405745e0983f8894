import type { ResponseOf } from '../../api/contract/response-marks.ts';
import type { PropertyChange, PropertyValue } from '../../api/operations/assets.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import { isDateText } from '../../language/calendar/days.ts';
import type { PropertyScalar } from '../../language/expressions.ts';
import { propertyFailures } from './failures.ts';
import type { NamedDefinition, PropertyDefinitions } from './property-definitions.ts';

/** Value of a property in a pipeline file. Null, a blank string or a list with only blanks clears the property. */
export type PlainValue = null | boolean | number | string | readonly string[];

/**
 * Returns the field for the API, or null if the value is to be cleared.
 * @throws RunCauseError for a value that the property's type does not accept, or an unknown option
 */
export function toPropertyChange(
  definition: NamedDefinition,
  value: PlainValue,
  definitions: PropertyDefinitions,
): PropertyChange | null {
  const { id: propertyId, type, name } = definition;
  const refuse = (takes: string) =>
    new RunCauseError(
      propertyFailures.PROPERTY_VALUE,
      `${JSON.stringify(value)} is not a valid value for the property "${name}" of type ${type}; use ${takes}`,
    );
  if (isBlankValue(value)) return null;
  switch (type) {
    case 'SELECT':
    case 'MULTI_SELECT': {
      // A table may have columns for more options than a row uses.
      const labels = [value]
        .flat()
        .map(String)
        .filter((label) => !isBlankValue(label));
      if (type === 'SELECT' && labels.length > 1) throw refuse('one option');
      return {
        propertyId,
        optionIds: labels.map((label) => definitions.option(definition, label)),
      };
    }
    case 'TEXT':
      if (typeof value !== 'string' && typeof value !== 'number') throw refuse('text');
      return { propertyId, text: String(value) };
    case 'NUMBER': {
      const number = typeof value === 'string' ? Number(value) : value;
      if (typeof number !== 'number' || !Number.isFinite(number)) throw refuse('a number');
      return { propertyId, number };
    }
    case 'DATE': {
      const dates = String(value).split('/');
      const [date = 0, endDate = null, ...extraDates] = dates.map((text) =>
        isDateText(text) ? Date.parse(text) : Number.NaN,
      );
      const isValidDate = [date, endDate ?? date].every((ms) => !Number.isNaN(ms));
      if (!isValidDate || extraDates.length > 0)
        throw refuse('a date (2026-01-31) or a DATE/DATE range');
      return { propertyId, date, ...(endDate === null ? {} : { endDate }) };
    }
    default:
      throw refuse('no value: this version does not support the type');
  }
}

/**
 * Returns the value as conditions read it: labels of options, and dates in the form that `toPropertyChange` accepts.
 * @param value undefined if the asset has no value. The result is then null, or an empty list for MULTI_SELECT
 */
export function toPropertyScalar(
  { type, options }: Pick<NamedDefinition, 'type' | 'options'>,
  value: ResponseOf<typeof PropertyValue> | undefined,
): PropertyScalar {
  const { optionIds = [], text, number, date, endDate } = value ?? {};
  const labels = optionIds.map((id) => options.find((option) => option.id === id)?.label ?? id);
  if (type === 'MULTI_SELECT') return labels;
  const days = [date, endDate].flatMap((ms) => (ms === undefined ? [] : [formatIsoDay(ms)]));
  return labels[0] ?? text ?? number ?? (days.length > 0 ? days.join('/') : null);
}

function formatIsoDay(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString().slice(0, 10);
}

function isBlankValue(value: PlainValue): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return value === null || (Array.isArray(value) && value.every(isBlankValue));
}
