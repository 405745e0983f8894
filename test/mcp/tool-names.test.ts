// The tools are exactly those of the platform's own MCP server.
import { expect, test } from 'vitest';
import { type OperationRow, splitRoute } from '../../src/api/contract/operation.ts';
import { operations } from '../../src/api/operations/index.ts';
import { argumentsOf } from '../../src/mcp/arguments.ts';
import { operationTools } from '../../src/mcp/operation-tools.ts';

const withDocsLinks = `
GET /properties | list_properties
GET /properties/{id} | get_property
POST /properties | create_property
PATCH /properties/{id} | update_property
DELETE /properties/{id} | archive_property
POST /properties/reorder | reorder_properties
POST /properties/{propertyId}/options | add_property_option
PATCH /properties/{propertyId}/options/{optionId} | update_property_option
POST /properties/{propertyId}/options/merge | merge_property_options
POST /properties/{propertyId}/convert-tag | convert_tag_to_property_option
GET /assets/{assetType}/{id}/properties | get_asset_properties
POST /assets/properties | set_asset_properties
POST /assets/search | search_assets_by_properties
GET /models | list_models
POST /models/{modelId}/production-files/export | export_production_file
GET /production-file-exports/{exportId} | get_production_file_export
POST /models/{modelId}/production-files | create_production_file
GET /models/{modelId}/production-files | list_production_files
GET /models/{modelId}/production-views | get_production_views_status
POST /models/{modelId}/production-views | request_production_views
PUT /models/{modelId}/variants/{variantId}/decal-slots/{slotId}/decoration-method | set_decoration_method
PUT /decals/{decalId}/inks | set_decal_inks
POST /materials/pantone | create_pantone_material
PUT /materials/{materialId}/pantone | set_material_pantone
GET /models/{modelId}/variants | list_model_variants
GET /models/{modelId}/decal-slots | get_decal_slots`
  .trim()
  .split('\n')
  .map((line) => line.split(' | ') as [string, string]);

const allRows: readonly OperationRow[] = Object.values(operations);
const rows = allRows.filter(({ tool }) => tool !== undefined);

test.each(withDocsLinks)('the operation %s has the tool %s', (route, name) => {
  expect(rows.find(({ tool }) => tool === name)?.route).toBe(route);
});

test('there are no other tools', () => {
  const names = withDocsLinks.map(([, name]) => name);
  expect(operationTools.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

test.each(rows)('$tool has the arguments of its operation, each under its own name', (row) => {
  const path = row.route === null ? '' : splitRoute(row.route).path;
  for (const { name, part: place, field } of argumentsOf(row)) {
    expect(name).toBe(field);
    if (place === 'params') expect(path).toContain(`{${name}}`);
  }
});
