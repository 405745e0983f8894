// Calls a tool. Bounds the size of its result or error, and removes secrets.
import { truncate } from '../api/responses/plain-text.ts';
import { scrubSecrets } from '../api/responses/scrub.ts';
import { isObject } from '../api/unknown-values.ts';
import { assertKnownArguments } from './arguments.ts';
import { type Tool, type ToolArguments, type ToolContext, toToolError } from './tool.ts';

export interface ToolResult {
  [field: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

const maxErrorLength = 8_000;

/** Calls a tool. Never throws: every failure becomes a tool error that the AI model can read. */
export async function callTool(
  tool: Tool,
  values: ToolArguments,
  context: ToolContext,
): Promise<ToolResult> {
  const clean = (text: string) => scrubSecrets(text, context.secrets);
  try {
    assertKnownArguments(tool.name, values, Object.keys(tool.input.properties ?? {}));
    const fullResult = await tool.call(values, context);
    // Results with a schema are platform responses: their lists have pages, and the client has cleaned their strings.
    const result = tool.output === undefined ? boundOutput(fullResult, clean) : fullResult;
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
  } catch (error) {
    const { code, message } = toToolError(error);
    const text = truncate(clean(`${code}: ${message}`), maxErrorLength);
    return { isError: true, content: [{ type: 'text', text }] };
  }
}

const maxItems = 50;
const maxTextLength = 2_000;
const maxCharacters = 40_000;

/**
 * Truncates long strings and lists, and halves the lists further until the whole output is short enough. The field
 * `leftOut` of the output counts omitted items by the path of their list.
 * @param clean removes secrets from a string. Called before truncating, which could leave part of a secret unrecognized
 */
function boundOutput(
  value: Record<string, unknown>,
  clean: (text: string) => string,
): Record<string, unknown> {
  for (let items = maxItems; ; items = Math.floor(items / 2)) {
    const leftOut: Record<string, number> = {};
    const cutFields = (fields: Record<string, unknown>, path: string): Record<string, unknown> =>
      Object.fromEntries(
        Object.entries(fields).map(([name, part]) => [clean(name), cut(part, `${path}${name}`)]),
      );
    const cut = (part: unknown, path: string): unknown => {
      if (typeof part === 'string') return truncate(clean(part), maxTextLength);
      if (isObject(part)) return cutFields(part, `${path}.`);
      if (!Array.isArray(part)) return part;
      const excess = part.length - items;
      if (excess > 0) leftOut[path] = (leftOut[path] ?? 0) + excess;
      return part.slice(0, items).map((item) => cut(item, path));
    };
    const boundedValue = cutFields(value, '');
    const isShort = items === 0 || JSON.stringify(boundedValue).length <= maxCharacters;
    if (isShort)
      return Object.keys(leftOut).length > 0 ? { ...boundedValue, leftOut } : boundedValue;
  }
}
