// What all tool calls have in common: checks, bounds, secrets and errors.
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../src/api/client.ts';
import { callTool } from '../../src/mcp/call-tool.ts';
import { operationTools } from '../../src/mcp/operation-tools.ts';
import { assertAllowed, describeTool, type Tool } from '../../src/mcp/tool.ts';
import { json, startServer } from '../api/_server.ts';
import { contextOf, textOf } from './_connect.ts';

const secret = 'hunter2hunter2';

function tool(change: Partial<Tool>): Tool {
  return {
    name: 'do_it',
    title: 'Do it',
    description: 'Does it.',
    input: { type: 'object', properties: { size: { type: 'integer' } } },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    permission: null,
    call: async () => ({}),
    ...change,
  };
}

async function call(change: Partial<Tool>, given: Record<string, unknown> = {}) {
  const client = createClient({ baseUrl: 'http://127.0.0.1:1/api/v1', apiKey: 'k' });
  onTestFinished(() => client.close());
  const context = { ...contextOf(client), secrets: [secret] };
  const result = await callTool(tool(change), given, context);
  return { ...result, text: textOf(result) };
}

const list = Array.from({ length: 70 }, (_, index) => `${index} ${secret}`);

test('a result without a schema is truncated and contains no secrets', async () => {
  const { structuredContent, text } = await call({ call: async () => ({ list }) });
  expect(structuredContent).toMatchObject({ leftOut: { list: 20 } });
  expect(JSON.parse(text)).toEqual(structuredContent);
  expect(text).not.toContain(secret);
});

test('a result with a schema is returned completely', async () => {
  const { structuredContent } = await call({ output: {}, call: async () => ({ list }) });
  expect(structuredContent).toEqual({ list });
});

test.each([
  ['any error', () => new Error(`broken by ${secret}`), 'INTERNAL_ERROR: broken by [redacted]'],
  ['a cancelled call', () => AbortSignal.abort().reason, /^CANCELLED: /],
  ['a wrong value', () => z.int().safeParse('x').error, /^VALIDATION_ERROR: arguments: /],
])('%s is explained without secrets', async (_what, error, text) => {
  const answer = await call({
    call: async () => {
      throw error();
    },
  });
  expect(answer.isError).toBe(true);
  expect(answer.text).toMatch(text);
});

test.each([
  ['a 500 for a creating call', 'create_property', { name: 'x', type: 'TEXT' }, 500, true],
  ['a refused creating call', 'create_property', { name: 'x', type: 'TEXT' }, 404, false],
  ['a 500 for a read', 'get_property', { id: 'p' }, 500, false],
])(
  'after %s, the error says whether its outcome must be checked first',
  async (_what, name, given, status, must) => {
    const server = await startServer();
    onTestFinished(() => server.close());
    server.respondWith((_request, response) =>
      json(response, status, { error: { code: 'INTERNAL_ERROR', message: 'no '.repeat(5_000) } }),
    );
    const client = createClient({ baseUrl: `${server.origin}/api/v1`, apiKey: 'k' });
    onTestFinished(() => client.close());
    const [operation] = operationTools.filter((candidate) => candidate.name === name);
    if (operation === undefined) throw new Error(`there is no tool ${name}`);
    const context = { ...contextOf(client), allows: { writes: true, runs: false } };
    const text = textOf(await callTool(operation, given, context));
    const checkFirst =
      'Check on the platform whether the call was executed before you send it again';
    expect(text.startsWith(`INTERNAL_ERROR: ${must ? checkFirst : 'no no'}`)).toBe(true);
    expect(text).toContain('no no');
    expect(server.received).toHaveLength(1);
  },
);

test('an unknown argument is refused before the call', async () => {
  const calls: unknown[] = [];
  const act: Tool['call'] = async (given) => {
    calls.push(given);
    return {};
  };
  const { text } = await call({ call: act }, { sise: 3 });
  expect([text, calls]).toEqual([expect.stringContaining('Did you mean "size"?'), []]);
});

test.each([
  ['writes', /--allow-writes/],
  ['runs', /--allow-runs/],
] as const)(
  'a tool that needs %s is refused with the flag in the message, unless it is allowed',
  (permission, message) => {
    const closed = { allows: { writes: false, runs: false } };
    const open = { allows: { ...closed.allows, [permission]: true } };
    const one = tool({ permission });
    expect(describeTool(one, closed)).toMatch(message);
    expect(() => assertAllowed(one, closed)).toThrow(message);
    expect(describeTool(one, open)).toBe('Does it.');
    expect(() => assertAllowed(one, open)).not.toThrow();
  },
);
