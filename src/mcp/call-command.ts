// Calls a tool that executes a command. The result is the command's output, bounded in size and without secrets.
import { z } from 'zod';
import { scrub } from '../api/responses/scrub.ts';
import { isObject } from '../api/unknown-values.ts';
import { refuseUnknown } from './arguments.ts';
import { boundOutput, truncate } from './bound-output.ts';
import type { CommandTool } from './command-tools.ts';
import { explainToolError, ToolError } from './tool-error.ts';
import type { ToolResult } from './tool-result.ts';

export interface CommandContext {
  /** Whether calls may start work on the platform. */
  readonly allowRuns: boolean;
  /** Values that are removed from all output. */
  readonly secrets: readonly string[];
  /** Executes a command line with `--json`, restricted to the folders of the server. */
  readonly run: (argv: readonly string[], signal: AbortSignal) => Promise<CommandResult>;
}

export interface CommandResult {
  readonly code: number;
  /** One JSON object, or empty. */
  readonly stdout: string;
  /** Messages for people. */
  readonly stderr: string;
}

/** Never throws: every failure becomes a tool error that the AI model can read. */
export async function callCommand(
  tool: CommandTool,
  given: Readonly<Record<string, unknown>>,
  context: CommandContext,
  signal: AbortSignal,
): Promise<ToolResult> {
  const clean = (text: string) => scrub(text, context.secrets);
  try {
    refuseUnknown(tool.name, given, Object.keys(tool.input.properties ?? {}));
    const { argv, isConfirmed } = tool.toCommand(given);
    if (isConfirmed && !context.allowRuns) throw notAllowed(tool);
    const result = await context.run(argv, signal);
    const { value, leftOut } = boundOutput(parseOutput(tool, result, isConfirmed), clean);
    const answer = Object.keys(leftOut).length > 0 ? { ...value, leftOut } : value;
    return {
      content: [{ type: 'text', text: JSON.stringify(answer) }],
      structuredContent: answer,
    };
  } catch (error) {
    const reported = error instanceof z.ZodError ? shapeError(error) : error;
    const text = truncate(clean(explainToolError(reported)), 8_000);
    return { isError: true, content: [{ type: 'text', text }] };
  }
}

function notAllowed({ name }: CommandTool): ToolError {
  return new ToolError(
    'RUNS_NOT_ALLOWED',
    `${name} starts work that costs money, and this server only reads. Nothing was started. ` +
      'The owner of the server can allow it: renderline mcp --allow-runs',
  );
}

function shapeError({ issues }: z.ZodError): ToolError {
  const messages = issues.map(
    ({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`,
  );
  return new ToolError('VALIDATION_ERROR', messages.join('; '));
}

/** @throws ToolError for a command that failed */
function parseOutput(
  tool: CommandTool,
  { stdout, stderr }: CommandResult,
  isConfirmed: boolean,
): Record<string, unknown> {
  const output: unknown = stdout === '' ? null : JSON.parse(stdout);
  const notes = stderr.split('\n').filter((line) => line.trim() !== '');
  const isPreview = tool.starts && !isConfirmed;
  if (!isObject(output)) throw new ToolError('INTERNAL_ERROR', stderr);
  const { schema, code, message, fix } = output;
  if (schema === 'renderline/error/v1') {
    // Before the command asks for confirmation it prints a preview. The tool returns this preview instead.
    if (isPreview && code === 'NOT_CONFIRMED') return preview({ preview: notesBeforeError(notes) });
    const parts = [message, fix, ...notesBeforeError(notes)];
    const lines = parts.filter((line) => typeof line === 'string' && line !== '');
    throw new ToolError(String(code), lines.join('\n'));
  }
  const whole = { ...output, ...(notes.length > 0 ? { notes } : {}) };
  return isPreview ? preview(whole) : whole;
}

/** Messages before the error on stderr. The error itself is part of the JSON output. */
function notesBeforeError(notes: readonly string[]): string[] {
  const at = notes.findIndex((line) => line.startsWith('error '));
  return at === -1 ? [...notes] : notes.slice(0, at);
}

function preview(output: Record<string, unknown>): Record<string, unknown> {
  return {
    started: false,
    next: 'Nothing was started. To start: repeat the call with confirm: true.',
    ...output,
  };
}
