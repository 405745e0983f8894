// Property values of assets, and the search by property values: platform.md, section 4.11.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import { givenId, givenName, itemListOf, markRequired } from '../contract/response-marks.ts';
import { id, openEnum, pageFields } from '../contract/schemas.ts';
import { AssetType, assetTypes, propertyTypes } from './properties.ts';

/** Latest time that a JavaScript date can hold. */
const maxEpochMs = 8.64e15;
const epochMs = z.int('must be whole epoch milliseconds').min(-maxEpochMs).max(maxEpochMs);

/** Maximum number of filters in a search: platform.md, section 8. */
const maxFilters = 30;

export const PropertyValue = z.object({
  propertyId: z.string(),
  key: z.string(),
  name: z.string(),
  type: openEnum(propertyTypes),
  optionIds: z.array(z.string()).optional().describe('SELECT, MULTI_SELECT'),
  text: z.string().optional().describe('TEXT'),
  number: z.number().optional().describe('NUMBER'),
  date: z.int().optional().describe('DATE: epoch milliseconds at UTC midnight'),
  endDate: z.int().optional().describe('DATE with dateRange'),
});

export const AssetWithProperties = z.object({
  id: givenId,
  name: givenName,
  assetType: openEnum(assetTypes),
  properties: z.array(PropertyValue),
});

/** Conditions that exclude each other. `min` with `max`, and `after` with `before`, count as one condition. */
const conditions = [['optionIds'], ['text'], ['min', 'max'], ['after', 'before'], ['isEmpty']];

// Strict, like the platform, because ignoring a misspelt field would turn the condition into "has any value".
export const PropertyFilter = z
  .strictObject({
    propertyId: id,
    optionIds: z.array(id).min(1).optional().describe('select types: any listed option matches'),
    text: z.string().min(1).optional().describe('TEXT: case-insensitive substring'),
    min: z.number().optional().describe('NUMBER: inclusive'),
    max: z.number().optional().describe('NUMBER: inclusive'),
    after: epochMs.optional().describe('DATE: inclusive, epoch milliseconds, on the start date'),
    before: epochMs.optional().describe('DATE: inclusive, epoch milliseconds, on the start date'),
    isEmpty: z
      .literal(true)
      .optional()
      .describe('assets without a stored value; cannot be combined with other conditions'),
  })
  .superRefine((filter, context) => {
    const presentFields = new Set(Object.keys(filter));
    const usedConditions = conditions.filter((fields) =>
      fields.some((field) => presentFields.has(field)),
    );
    if (usedConditions.length > 1) {
      const names = usedConditions.flat().filter((field) => presentFields.has(field));
      context.addIssue(`${names.join(' and ')} cannot be combined in one filter`);
    }
    const { min, max, after, before } = filter;
    if (min !== undefined && max !== undefined && min > max) {
      context.addIssue(`min ${min} is above max ${max}`);
    }
    if (after !== undefined && before !== undefined && after > before) {
      context.addIssue(`after ${after} is later than before ${before}`);
    }
  })
  .describe('with propertyId alone: assets that have any value');
export type PropertyFilter = z.infer<typeof PropertyFilter>;

export const PropertyFilters = z.array(PropertyFilter).max(maxFilters);

/** One value to store. Null, blank text or an empty list clears the value. */
export const PropertyChange = z.object({
  propertyId: id,
  optionIds: z.array(id).nullish().describe('for select types; SELECT takes one option'),
  text: z.string().nullish(),
  number: z.number().nullish(),
  date: epochMs.nullish().describe('epoch milliseconds; rounded down to UTC midnight'),
  endDate: epochMs
    .nullish()
    .describe('only for properties with dateRange; must not be before date'),
});
export type PropertyChange = z.infer<typeof PropertyChange>;

export const assetOperations = defineOperations('4.11', {
  getAssetProperties: {
    route: 'GET /assets/{assetType}/{id}/properties',
    summary: 'Get the property values of an asset.',
    params: z.object({ assetType: AssetType }),
    response: AssetWithProperties,
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    tool: 'get_asset_properties',
  },
  setAssetProperties: {
    route: 'POST /assets/properties',
    summary: 'Write property values of up to 100 assets of one type, either all or none.',
    body: z.object({
      assetType: AssetType,
      ids: z.array(id).min(1).max(100).describe('assets of that type in this workspace'),
      set: z.array(PropertyChange).optional().describe('only listed properties change'),
      unset: z.array(id).optional().describe('ids of properties whose values are removed'),
      mode: z
        .enum(['REPLACE', 'ADD'])
        .default('REPLACE')
        .describe(
          'ADD adds multi-select options to the existing options; values of other types are replaced',
        ),
    }),
    response: z.object({
      updated: z.int().describe('matched assets, including assets that already had the value'),
    }),
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    retrySafety: 'repeat',
    batch: { field: 'ids', max: 100 },
    tool: 'set_asset_properties',
    // REPLACE overwrites values, and unset removes them.
    destructive: true,
  },
  searchAssets: {
    route: 'POST /assets/search',
    summary: 'List assets of one type whose property values match all filters, newest first.',
    body: z.object({
      assetType: AssetType,
      properties: PropertyFilters.default([]),
      limit: z.int().min(1).max(100).default(25),
      offset: z.int().min(0).max(100_000).default(0),
    }),
    response: z.object({
      assetType: openEnum(assetTypes),
      assets: markRequired(itemListOf(AssetWithProperties)),
      ...pageFields,
    }),
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    retrySafety: 'read',
    tool: 'search_assets_by_properties',
  },
});
