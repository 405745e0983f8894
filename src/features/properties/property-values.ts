// Converts the value of a property in a pipeline file to the field that the API expects for the property's type.
import type { PropertyChange } from '../../api/operations/assets.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import { propertyFailures } from './failures.ts';
import type { NamedDefinition, PropertyDefinitions } from './property-definitions.ts';

/** null clears the property. */
export type PlainValue = null | boolean | number | string | readonly string[];

const datePattern = /^\d{4}-\d\d-\d\d$/;

/**
 * Returns null if the value is to be cleared.
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
      `the property "${name}" is ${type}, which ${JSON.stringify(value)} is not; it takes ${takes}`,
    );
  if (isBlank(value)) return null;
  switch (type) {
    case 'SELECT':
    case 'MULTI_SELECT': {
      const labels = [value].flat().map(String);
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
      const [date = 0, endDate = null, ...more] = dates.map((text) =>
        datePattern.test(text) ? Date.parse(text) : Number.NaN,
      );
      const isSound = [date, endDate ?? date].every((ms) => !Number.isNaN(ms));
      if (!isSound || more.length > 0) throw refuse('a date such as 2026-01-31, or two with /');
      return { propertyId, date, ...(endDate === null ? {} : { endDate }) };
    }
    default:
      throw refuse('no value in this version, which does not know the type');
  }
}

function isBlank(value: PlainValue): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return value === null || (Array.isArray(value) && value.length === 0);
}
