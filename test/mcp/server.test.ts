// The MCP server, called by the SDK's client.
import { describe, expect, onTestFinished, test } from 'vitest';
import { operations } from '../../src/api/operations/index.ts';
import { callTool } from '../../src/mcp/call-tool.ts';
import { operationTools } from '../../src/mcp/operation-tools.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { clientOf, json, startServer, testKey } from '../api/_server.ts';
import { connect, contextOf, type Over, textOf } from './_connect.ts';

const ways: Over[] = ['stdio', 'http'];

describe.each(ways)('a server over %s', (over) => {
  test('the server lists every tool of the contract, with schemas and hints', async () => {
    const { agent, errors } = await connect(over);
    const { tools } = await agent.listTools();
    const named = Object.values(operations).flatMap((row) => ('tool' in row ? [row.tool] : []));
    expect(tools.map(({ name }) => name).toSorted()).toEqual(named.toSorted());
    for (const tool of tools) {
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.inputSchema.properties).toHaveProperty('workspaceId');
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
      expect(tool.annotations?.readOnlyHint).toBeTypeOf('boolean');
    }
    expect(errors).toEqual([]);
  });

  test('a call returns structured content, and the same content as text', async () => {
    const { agent } = await connect(over);
    const result = await agent.callTool({ name: 'list_models', arguments: { limit: 5 } });
    const answer = { models: [], total: 0, limit: 5, offset: 0 };
    expect(result.structuredContent).toEqual(answer);
    expect(JSON.parse(textOf(result))).toEqual(answer);
    expect(result.isError).not.toBe(true);
  });

  test.each([
    ['an exceeded bound', { limit: 1000 }, /^VALIDATION_ERROR: .*limit/],
    ['a wrong type', { offset: 'x' }, /^VALIDATION_ERROR: .*offset/],
    ['a misspelt argument', { limmit: 5 }, /^VALIDATION_ERROR: .*"limmit".*Did you mean "limit"/],
    ['another workspace', { workspaceId: 'ws_other' }, /^WORKSPACE_NOT_FOUND: .*ws_other/],
  ])('%s is a tool error with a code and a reason', async (_what, given, message) => {
    const { agent } = await connect(over);
    const result = await agent.callTool({ name: 'list_models', arguments: given });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(message);
  });

  test('a call may specify the workspace of its key', async () => {
    const { agent, sandbox } = await connect(over);
    const me = await fetch(`${sandbox.url}/me`, { headers: { 'x-api-key': sandbox.apiKey } });
    const { workspace } = (await me.json()) as { workspace: { id: string } };
    const given = { workspaceId: workspace.id, name: null };
    const result = await agent.callTool({ name: 'list_models', arguments: given });
    expect(result.structuredContent).toMatchObject({ total: 0 });
  });

  test('a refused key is a tool error that does not contain the key', async () => {
    const apiKey = 'svc_wrong_0123456789';
    const { agent } = await connect(over, { apiKey });
    const result = await agent.callTool({ name: 'list_models', arguments: {} });
    expect(textOf(result)).toMatch(/^INVALID_API_KEY: /);
    expect(textOf(result)).not.toContain('0123456789');
  });

  test('an unknown tool causes an error that contains its name', async () => {
    const { agent } = await connect(over);
    await expect(agent.callTool({ name: 'list_moddels', arguments: {} })).rejects.toThrow(
      /list_moddels/,
    );
  });
});

function toolOf(name: string): Tool {
  const tool = operationTools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool;
}

test('a response that does not match the schema is an error if the schema is checked', async () => {
  const server = await startServer();
  onTestFinished(() => server.close());
  server.respondWith((_, response) => json(response, 200, { models: [{ modelId: 7 }], total: 1 }));
  const answer = await callTool(toolOf('list_models'), {}, contextOf(clientOf(server)));
  expect(answer.isError).toBe(true);
  expect(textOf(answer)).toContain('API_UNEXPECTED: listModels: "models.0.modelId"');
});

test('text in a response is redacted, escaped and truncated', async () => {
  const server = await startServer();
  onTestFinished(() => server.close());
  const link = 'https://store.example/f?X-Amz-Signature=c4n4ry';
  server.respondWith((_, response) =>
    json(response, 200, {
      id: 'e1',
      status: 'FAILED',
      variantIds: [],
      capturingVariantIds: [],
      productionFile: null,
      reason: `key ${testKey} at ${link} \u001b]0;c4n4ry\u0007 ${'x'.repeat(10_000)}`,
      createdAt: '2026-01-01T00:00:00Z',
      updatedAt: '2026-01-01T00:00:00Z',
    }),
  );
  const tool = toolOf('get_production_file_export');
  const answer = await callTool(tool, { exportId: 'e1' }, contextOf(clientOf(server)));
  expect(answer.isError).toBeUndefined();
  const text = textOf(answer);
  expect(text).not.toMatch(/c4n4ry|5ecretPart|u001b/);
  expect(text.length).toBeLessThan(1_000);
});
