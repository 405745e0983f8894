// The type of all tools: operations of the platform, and use cases of pipelines.

import { z } from 'zod';
import type { Client } from '../api/client.ts';
import type { JsonObject } from '../api/contract/json-schema.ts';
import { ApiError, RequestShapeError } from '../api/errors/errors.ts';
import { formatIssues } from '../api/format-issue.ts';
import type { App } from '../app/app.ts';
import { findKnownFailure } from '../failures/classify-error.ts';

/** Arguments of a call by name. They are not checked yet. */
export type ToolArguments = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly input: JsonObject & { properties?: Record<string, JsonObject> };
  /** JSON Schema of the result, which is then returned whole. Results without a schema are bounded in size. */
  readonly output?: JsonObject;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
  };
  /** What the owner of the server must allow. Null for a tool that only reads. */
  readonly permission: Permission | null;
  /** @throws any error, which `callTool` explains */
  readonly call: (values: ToolArguments, context: ToolContext) => Promise<Record<string, unknown>>;
}

/** The context of calls. It is the same for all calls of a server, except for the signal. */
export interface ToolContext {
  readonly client: Client;
  readonly workspace: () => Promise<string>;
  /** Environment, settings and folders of pipelines. */
  readonly app: App;
  readonly allows: Readonly<Record<Permission, boolean>>;
  /** Values that are removed from all output. */
  readonly secrets: readonly string[];
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal;
}

export type Permission = 'writes' | 'runs';

const permissionTexts = {
  writes: {
    option: '--allow-writes',
    code: 'WRITES_NOT_ALLOWED',
    effect: 'changes the workspace, which this server does not allow. Nothing was sent.',
    closed: 'Not allowed now',
  },
  runs: {
    option: '--allow-runs',
    code: 'RUNS_NOT_ALLOWED',
    effect: 'starts work that costs money, which this server does not allow. Nothing was started.',
    closed: 'Only previews now',
  },
} as const satisfies Record<Permission, object>;

/** @throws ToolError unless the owner of the server allows what the tool does */
export function assertAllowed(
  { name, permission }: Pick<Tool, 'name' | 'permission'>,
  { allows }: Pick<ToolContext, 'allows'>,
): void {
  if (permission === null || allows[permission]) return;
  const { code, effect, option } = permissionTexts[permission];
  throw new ToolError(
    code,
    `${name} ${effect} The operator of the server can allow it: renderline mcp ${option}`,
  );
}

/** Returns the description, with a remark if the server does not allow what the tool does. */
export function describeTool(
  { description, permission }: Tool,
  { allows }: Pick<ToolContext, 'allows'>,
): string {
  if (permission === null || allows[permission]) return description;
  const { closed, option } = permissionTexts[permission];
  return `${description} ${closed}: the server was started without ${option}.`;
}

/** Formats the display name of a tool: `list_models` becomes `List models`. */
export function titleOf(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A failure with the code and the explanation that the caller of the tool reads. */
export class ToolError extends Error {
  override name = 'ToolError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Converts any error, with a code of the platform if one fits. */
export function toToolError(error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  if (error instanceof ApiError) return new ToolError(error.code, error.detail);
  if (error instanceof RequestShapeError) return new ToolError('VALIDATION_ERROR', error.message);
  if (error instanceof z.ZodError)
    return new ToolError('VALIDATION_ERROR', formatIssues(error.issues, 'arguments'));
  if (!(error instanceof Error)) return new ToolError('INTERNAL_ERROR', String(error));
  const failureCode = findKnownFailure(error)?.failure.code ?? 'INTERNAL_ERROR';
  return new ToolError(error.name === 'AbortError' ? 'CANCELLED' : failureCode, error.message);
}
