// Calls a tool. Bounds the size of its result or error, and removes secrets.
import { scrub } from '../api/responses/scrub.ts';
import { refuseUnknown } from './arguments.ts';
import { boundOutput, truncate } from './bound-output.ts';
import type { Tool, ToolArguments, ToolContext } from './tool.ts';
import { explainToolError } from './tool-error.ts';

export interface ToolResult {
  [field: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

const maxErrorLength = 8_000;

/** Never throws: every failure becomes a tool error that the AI model can read. */
export async function callTool(
  tool: Tool,
  given: ToolArguments,
  context: ToolContext,
): Promise<ToolResult> {
  const clean = (text: string) => scrub(text, context.secrets);
  try {
    refuseUnknown(tool.name, given, Object.keys(tool.input.properties ?? {}));
    const whole = await tool.call(given, context);
    // Results with a schema are platform responses: their lists have pages, and the client has cleaned their texts.
    const result = tool.output === undefined ? boundOutput(whole, clean) : whole;
    return {
      content: [{ type: 'text', text: JSON.stringify(result) }],
      structuredContent: result,
    };
  } catch (error) {
    const text = truncate(clean(explainToolError(error)), maxErrorLength);
    return { isError: true, content: [{ type: 'text', text }] };
  }
}
