// Property definitions: platform.md, section 4.11.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import { givenId, givenName, itemListOf, markRequired } from '../contract/response-marks.ts';
import { id, openEnum } from '../contract/schemas.ts';

export const assetTypes = [
  'MODEL',
  'VARIANT',
  'PROJECT',
  'TEMPLATE',
  'MATERIAL',
  'PROP',
  'RENDER',
  'DECAL',
  'BACKPLATE',
  'STYLE',
] as const;
export type AssetType = (typeof assetTypes)[number];
export const AssetType = z.enum(assetTypes);

export const propertyTypes = ['SELECT', 'MULTI_SELECT', 'TEXT', 'NUMBER', 'DATE'] as const;
export type PropertyType = (typeof propertyTypes)[number];
const PropertyType = z.enum(propertyTypes);

export const maxActiveProperties = 30;
/** Maximum number of options per property. */
export const maxOptions = 200;

export const optionLabel = z.string().trim().min(1, 'must not be blank');
const propertyName = z.string().trim().min(1, 'must not be blank');
const PropertyOption = z.object({
  id: givenId,
  label: givenName,
  color: z.string().nullable().describe('hex'),
  sortOrder: z.int(),
  archived: z.boolean(),
});

export const PropertyDefinition = z.object({
  id: givenId,
  name: givenName,
  key: z.string().describe('stable; a rename does not change it'),
  type: markRequired(openEnum(propertyTypes)),
  appliesTo: z.array(openEnum(assetTypes)),
  options: itemListOf(PropertyOption, 'in the order of sortOrder; empty except for select types'),
  archived: z.boolean(),
  dateRange: z.boolean().optional().describe('DATE only: values may have an endDate'),
});

/** The reference shows no code for missing rights on properties (see docs/assumptions.md). */
const onRights = ['PLAN_LIMIT_REACHED'] as const;

export const propertyOperations = defineOperations('4.11', {
  listProperties: {
    route: 'GET /properties',
    summary: 'List the property definitions of the workspace.',
    query: z.object({
      assetType: AssetType.optional().describe('only properties that apply to this type'),
      includeArchived: z.boolean().default(false),
    }),
    response: z.object({ properties: markRequired(itemListOf(PropertyDefinition)) }),
    errors: ['VALIDATION_ERROR', ...onRights],
    tool: 'list_properties',
  },
  getProperty: {
    route: 'GET /properties/{id}',
    summary: 'Get a property definition, archived or not.',
    response: PropertyDefinition,
    errors: ['NOT_FOUND', ...onRights],
    tool: 'get_property',
  },
  createProperty: {
    route: 'POST /properties',
    summary: 'Define a property; its key is derived from the name and never changes.',
    body: z.object({
      name: propertyName,
      type: PropertyType,
      options: z
        .array(optionLabel)
        .max(maxOptions)
        .optional()
        .describe('labels of the options; only for select types'),
      appliesTo: z.array(AssetType).min(1).optional().describe('all ten asset types if omitted'),
      dateRange: z.boolean().optional().describe('DATE only'),
    }),
    status: 201,
    response: PropertyDefinition,
    errors: ['VALIDATION_ERROR', ...onRights],
    retrySafety: 'lookup',
    tool: 'create_property',
  },
  updateProperty: {
    route: 'PATCH /properties/{id}',
    summary: 'Rename a property, or restore an archived one.',
    body: z.object({
      name: propertyName.optional().describe('the id and the key do not change'),
      archived: z
        .literal(
          false,
          'only false is accepted, which restores the property; to archive it, send DELETE',
        )
        .optional()
        .describe('false restores'),
      // Listed because the platform refuses a change of these fields by name. `fixed` hides the fields from callers.
      type: PropertyType.optional().meta({ fixed: true }),
      dateRange: z.boolean().optional().meta({ fixed: true }),
    }),
    response: PropertyDefinition,
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', ...onRights],
    retrySafety: 'repeat',
    tool: 'update_property',
  },
  archiveProperty: {
    route: 'DELETE /properties/{id}',
    summary: 'Archive a property; its options and stored values are kept.',
    response: PropertyDefinition,
    errors: ['NOT_FOUND', ...onRights],
    tool: 'archive_property',
  },
  reorderProperties: {
    route: 'POST /properties/reorder',
    summary: 'Set the order of properties.',
    body: z.object({ ids: z.array(id).min(1) }),
    response: z.object({ properties: z.array(PropertyDefinition) }),
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', ...onRights],
    retrySafety: 'repeat',
    tool: 'reorder_properties',
  },
});
