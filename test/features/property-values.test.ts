// Values of properties in a pipeline file, as the API expects them.
import { expect, it } from 'vitest';
import { PropertyDefinitions } from '../../src/features/properties/property-definitions.ts';
import {
  type PlainValue,
  toPropertyChange,
} from '../../src/features/properties/property-values.ts';

const none = new PropertyDefinitions([]);
const launch = { id: 'p', name: 'Launch', type: 'DATE', options: [] };

it.each<[value: PlainValue, change: unknown]>([
  ['2026-02-28', { propertyId: 'p', date: Date.UTC(2026, 1, 28) }],
  ['1998-12-31', { propertyId: 'p', date: Date.UTC(1998, 11, 31) }],
  [
    '2026-02-27/2026-02-28',
    { propertyId: 'p', date: Date.UTC(2026, 1, 27), endDate: Date.UTC(2026, 1, 28) },
  ],
  [' ', null],
])('the date "%s" is converted', (value, change) => {
  expect(toPropertyChange(launch, value, none)).toEqual(change);
});

it.each(['2026-02-30', '2026-02-27/2026-02-30', '2026-2-3', 'soon', '2026-01-01/2026-01-02/'])(
  'the date "%s" is refused',
  (value) => {
    expect(() => toPropertyChange(launch, value, none)).toThrow(/use a date \(2026-01-31\)/);
  },
);
