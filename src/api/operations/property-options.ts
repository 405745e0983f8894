// Options of select properties, and conversion of tags into options: platform.md, section 4.11.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import { id } from '../contract/schemas.ts';
import { optionLabel, PropertyDefinition } from './properties.ts';

const color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'must be a hex colour such as #1A2B3C')
  .nullable();

export const propertyOptionOperations = defineOperations('4.11', {
  addPropertyOption: {
    route: 'POST /properties/{propertyId}/options',
    summary: 'Add an option to a select property.',
    body: z.object({ label: optionLabel, color: color.optional().describe('hex') }),
    status: 201,
    response: PropertyDefinition,
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    retrySafety: 'lookup',
    tool: 'add_property_option',
  },
  updatePropertyOption: {
    route: 'PATCH /properties/{propertyId}/options/{optionId}',
    summary: 'Change, archive or restore an option.',
    body: z.object({
      archived: z.boolean().optional(),
      label: optionLabel.optional(),
      color: color.optional().describe('hex; null removes it'),
      sortOrder: z.int().optional(),
    }),
    response: PropertyDefinition,
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    retrySafety: 'repeat',
    tool: 'update_property_option',
  },
  mergePropertyOptions: {
    route: 'POST /properties/{propertyId}/options/merge',
    summary: 'Replace an option with another on all assets, and remove it.',
    body: z.object({ fromOptionId: id, intoOptionId: id.describe('active') }),
    response: PropertyDefinition,
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    retrySafety: 'lookup',
    tool: 'merge_property_options',
    // Deletes the source option.
    destructive: true,
  },
  convertTagToPropertyOption: {
    route: 'POST /properties/{propertyId}/convert-tag',
    summary: 'Copy a tag of models into a select property; the tag stays.',
    body: z.object({ tagId: id }),
    response: z.object({
      property: PropertyDefinition,
      optionId: z.string().describe('the option that represents the tag'),
      updated: z.int().describe('models with the tag that now have the option'),
    }),
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    retrySafety: 'repeat',
    tool: 'convert_tag_to_property_option',
  },
});
