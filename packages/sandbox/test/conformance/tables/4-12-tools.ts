import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { createClient } from '../../../../../src/api/client.ts';
import { App } from '../../../../../src/app/app.ts';
import { serveOverHttp } from '../../../../../src/mcp/http.ts';
import { operationTools } from '../../../../../src/mcp/operation-tools.ts';
import { createServerFactory } from '../../../../../src/mcp/server.ts';
import type { Platform } from '../_platform.ts';
import { absent, type Row, type Table } from '../_rows.ts';
import { Me } from '../_shapes.ts';

/** Tool name with the documented arguments of its operation. */
const tools: readonly (readonly [name: string, ...args: string[]])[] = [
  ['list_properties', 'assetType', 'includeArchived'],
  ['get_property', 'id'],
  ['create_property', 'name', 'type', 'options', 'appliesTo', 'dateRange'],
  ['update_property', 'id', 'name', 'archived'],
  ['archive_property', 'id', 'archived'],
  ['reorder_properties', 'ids'],
  ['add_property_option', 'propertyId'],
  ['update_property_option', 'propertyId', 'optionId', 'archived', 'label', 'color', 'sortOrder'],
  ['merge_property_options', 'propertyId', 'fromOptionId', 'intoOptionId'],
  ['convert_tag_to_property_option', 'propertyId', 'tagId'],
  ['get_asset_properties', 'assetType', 'id'],
  ['set_asset_properties', 'assetType', 'ids', 'set', 'unset', 'mode'],
  ['search_assets_by_properties', 'assetType', 'properties', 'limit', 'offset'],
  ['list_models', 'properties', 'offset', 'limit', 'status', 'name'],
  ['export_production_file', 'modelId', 'variantIds', 'options'],
  ['get_production_file_export', 'exportId'],
  ['create_production_file', 'modelId', 'variantIds', 'options'],
  ['list_production_files', 'modelId'],
  ['get_production_views_status', 'modelId'],
  ['request_production_views', 'modelId', 'variantIds', 'captureMode'],
  ['set_decoration_method', 'modelId', 'variantId', 'slotId', 'method'],
  ['set_decal_inks', 'decalId', 'inks', 'spec'],
  ['create_pantone_material', 'name', 'pantoneCode', 'hex'],
  ['set_material_pantone', 'materialId', 'pantoneCode', 'hex'],
  ['list_model_variants', 'modelId'],
  ['get_decal_slots', 'modelId'],
];

/** A row whose check calls the platform's MCP tools as an agent does. */
const asked = (rule: string, check: (agent: Client, p: Platform) => Promise<void>): Row => ({
  rule,
  check: async (p) => {
    const client = createClient(p.target);
    const workspace = async () => (await client.getMe()).workspace.id;
    const factory = createServerFactory({
      client,
      workspace,
      app: new App({ env: {}, cwd: '.' }),
      allows: { writes: true, runs: false },
      secrets: [],
      tools: operationTools,
      version: '0.0.0',
    });
    const fail = (error: Error) => {
      throw error;
    };
    const token = 't';
    const place = { host: '127.0.0.1', port: 0, token, onError: fail };
    const server = await serveOverHttp(factory, place);
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const agent = new Client({ name: 'conformance', version: '1' });
    try {
      await agent.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));
      await check(agent, p);
    } finally {
      await agent.close();
      await server.stop();
      await client.close();
    }
  },
});

export const mcpTools: Table = {
  section: '4.12 MCP tools',
  rows: [
    ...tools.map(([name, ...args]) =>
      asked(`${name} has the documented arguments and an optional workspaceId`, async (agent) => {
        const found = (await agent.listTools()).tools.find((tool) => tool.name === name);
        const { properties = {}, required = [] } = found?.inputSchema ?? {};
        // The body of a new option is not documented.
        const own = name === 'add_property_option' ? ['label', 'color'] : [];
        const expected = [...args, ...own, 'workspaceId'];
        expect(Object.keys(properties).toSorted()).toEqual(expected.toSorted());
        expect(required).not.toContain('workspaceId');
      }),
    ),
    asked('a tool works with the current workspace, named or not', async (agent, p) => {
      const { workspace } = await p.ok('GET /me', Me);
      for (const named of [{}, { workspaceId: workspace.id }]) {
        const answer = await agent.callTool({
          name: 'list_models',
          arguments: { limit: 1, ...named },
        });
        expect(answer.isError ?? false).toBe(false);
        expect(JSON.stringify(answer)).toContain('total');
      }
    }),
    asked('a failure is a tool error with the message from the API', async (agent, p) => {
      const { body } = await p.send(`GET /production-file-exports/${absent}`);
      const answer = await agent.callTool({
        name: 'get_production_file_export',
        arguments: { exportId: absent },
      });
      expect(answer.isError).toBe(true);
      // The cast is safe, since `send` has checked that a refusal has the error body.
      const { error } = body as { error: { message: string } };
      expect(JSON.stringify(answer.content)).toContain(error.message);
    }),
  ],
};
