// Property definitions and their options: sections 4.11 and 2.14.
import { z } from 'zod';
import { operation } from '../operation.ts';
import { id, known } from '../schemas.ts';

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

/** Section 8. */
export const maxActiveProperties = 30;
export const maxOptions = 200;

const optionLabel = z.string().trim().min(1, 'must not be blank');
const propertyName = z.string().trim().min(1, 'must not be blank');
const color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'must be a hex colour such as #1A2B3C')
  .nullable();

export const PropertyOption = z.object({
  id: z.string(),
  label: z.string(),
  color: z.string().nullable().describe('hex'),
  sortOrder: z.int(),
  archived: z.boolean(),
});

export const PropertyDefinition = z.object({
  id: z.string(),
  name: z.string(),
  key: z.string().describe('stable; a rename does not change it'),
  type: known(propertyTypes),
  appliesTo: z.array(known(assetTypes)),
  options: z.array(PropertyOption).describe('by sortOrder; empty unless a select type'),
  archived: z.boolean(),
  dateRange: z.boolean().describe('values may have an endDate; DATE only'),
});

const params = { section: '4.11' } as const;
const onPost = ['IDEMPOTENCY_CONFLICT', 'IDEMPOTENCY_KEY_REUSED'] as const;
/** Section 7 has no code of its own for missing rights; see docs/assumptions.md. */
const onRights = ['PLAN_LIMIT_REACHED'] as const;

export const listProperties = operation({
  ...params,
  id: 'listProperties',
  route: 'GET /properties',
  summary: 'Property definitions of the workspace.',
  query: z.object({
    assetType: AssetType.optional().describe('only properties that apply to this type'),
    includeArchived: z.boolean().default(false),
  }),
  status: 200,
  response: z.object({ properties: z.array(PropertyDefinition) }),
  errors: ['VALIDATION_ERROR', ...onRights],
  proof: 'read',
  keyed: false,
  tool: 'list_properties',
});

export const getProperty = operation({
  ...params,
  id: 'getProperty',
  route: 'GET /properties/{id}',
  summary: 'One property definition, archived or not.',
  status: 200,
  response: PropertyDefinition,
  errors: ['NOT_FOUND', ...onRights],
  proof: 'read',
  keyed: false,
  tool: 'get_property',
});

export const createProperty = operation({
  ...params,
  id: 'createProperty',
  route: 'POST /properties',
  summary: 'Define a property; its key follows from the name and stays.',
  body: z.object({
    name: propertyName,
    type: PropertyType,
    options: z.array(optionLabel).max(maxOptions).optional().describe('labels; select types only'),
    appliesTo: z.array(AssetType).min(1).optional().describe('omitted = all ten asset types'),
    dateRange: z.boolean().optional().describe('DATE only'),
  }),
  status: 201,
  response: PropertyDefinition,
  errors: ['VALIDATION_ERROR', ...onRights, ...onPost],
  proof: 'lookup',
  keyed: true,
  tool: 'create_property',
});

export const updateProperty = operation({
  ...params,
  id: 'updateProperty',
  route: 'PATCH /properties/{id}',
  summary: 'Rename a property, or restore an archived one.',
  body: z.object({
    name: propertyName.optional().describe('id and key stay'),
    archived: z
      .literal(false, 'only false is accepted, which restores; DELETE archives')
      .optional()
      .describe('false restores'),
    type: PropertyType.optional().describe('fixed: refused when it differs'),
    dateRange: z.boolean().optional().describe('fixed: refused when it differs'),
  }),
  status: 200,
  response: PropertyDefinition,
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', ...onRights],
  proof: 'repeat',
  keyed: false,
  tool: 'update_property',
});

export const archiveProperty = operation({
  ...params,
  id: 'archiveProperty',
  route: 'DELETE /properties/{id}',
  summary: 'Archive a property; its options and stored values are kept.',
  status: 200,
  response: PropertyDefinition,
  errors: ['NOT_FOUND', ...onRights],
  proof: 'repeat',
  keyed: false,
  tool: 'archive_property',
});

export const reorderProperties = operation({
  ...params,
  id: 'reorderProperties',
  route: 'POST /properties/reorder',
  summary: 'Put properties into this order.',
  body: z.object({ ids: z.array(id).min(1) }),
  status: 200,
  response: z.object({ properties: z.array(PropertyDefinition) }),
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', ...onRights, ...onPost],
  proof: 'repeat',
  keyed: true,
  tool: 'reorder_properties',
});

export const addPropertyOption = operation({
  ...params,
  id: 'addPropertyOption',
  route: 'POST /properties/{propertyId}/options',
  summary: 'Add an option to a select property.',
  body: z.object({ label: optionLabel, color: color.optional().describe('hex') }),
  status: 201,
  response: PropertyDefinition,
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', ...onRights, ...onPost],
  proof: 'lookup',
  keyed: true,
  tool: 'add_property_option',
});

export const updatePropertyOption = operation({
  ...params,
  id: 'updatePropertyOption',
  route: 'PATCH /properties/{propertyId}/options/{optionId}',
  summary: 'Change, archive or restore an option.',
  body: z.object({
    archived: z.boolean().optional(),
    label: optionLabel.optional(),
    color: color.optional().describe('hex; null removes it'),
    sortOrder: z.int().optional(),
  }),
  status: 200,
  response: PropertyDefinition,
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', ...onRights],
  proof: 'repeat',
  keyed: false,
  tool: 'update_property_option',
});

export const mergePropertyOptions = operation({
  ...params,
  id: 'mergePropertyOptions',
  route: 'POST /properties/{propertyId}/options/merge',
  summary: 'Replace one option by another on all assets and remove it.',
  body: z.object({ fromOptionId: id, intoOptionId: id.describe('active') }),
  status: 200,
  response: PropertyDefinition,
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', ...onRights, ...onPost],
  proof: 'lookup',
  keyed: true,
  tool: 'merge_property_options',
  // The source option is gone afterwards.
  destructive: true,
});

export const convertTagToPropertyOption = operation({
  ...params,
  id: 'convertTagToPropertyOption',
  route: 'POST /properties/{propertyId}/convert-tag',
  summary: 'Copy a tag of models into a select property; the tag stays.',
  body: z.object({ tagId: id }),
  status: 200,
  response: z.object({
    property: PropertyDefinition,
    optionId: z.string().describe('the option that stands for the tag'),
    updated: z.int().describe('models with the tag that hold the option now'),
  }),
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', ...onRights, ...onPost],
  proof: 'repeat',
  keyed: true,
  tool: 'convert_tag_to_property_option',
});
