// A row of the specification: a request and the documented response.
import type { z } from 'zod';
import type { SandboxOptions } from '../../../../src/sandbox/interface.ts';
import type { Platform } from './_platform.ts';

/** What a response must be. Absent fields are not checked. */
export interface Expected {
  readonly status: number | readonly number[];
  /** The code in the error envelope. */
  readonly code?: string | readonly string[];
  readonly shape?: z.ZodType;
  /** Fields that the body must contain, as for `toMatchObject`; `{name}` placeholders are filled in. */
  readonly like?: object;
}

export interface SendOptions {
  readonly body?: unknown;
  /** Sent unchanged instead of `body`. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The API key. Null sends none. */
  readonly key?: string | null;
}

interface RowBase {
  /** The rule of the platform's reference as a short sentence: the title of the test. */
  readonly rule: string;
  /** Why the row applies only to a sandbox. On a live platform the row is skipped with this reason. */
  readonly only?: string;
  /** Options for a separate sandbox. */
  readonly on?: SandboxOptions;
}

/**
 * One request. `send` is `METHOD /path`, or `@operationId id id?query` for an operation with an undocumented path.
 * Placeholders such as `{model}` in path and body are resources that are created on first use.
 */
export interface RequestRow extends RowBase, SendOptions {
  readonly send: string;
  readonly is: Expected;
}

/** Several requests that belong together. */
export interface CheckRow extends RowBase {
  readonly check: (platform: Platform) => Promise<void>;
}

export type Row = RequestRow | CheckRow;

export interface Table {
  /** Section number and title in the platform's reference. */
  readonly section: string;
  readonly rows: readonly Row[];
}

export const ok = (shape?: z.ZodType, like?: object): Expected => ({
  status: 200,
  ...(shape && { shape }),
  ...(like && { like }),
});

export const created = (shape?: z.ZodType, like?: object): Expected => ({
  ...ok(shape, like),
  status: 201,
});

/** Success with an undocumented status. */
export const done = (shape?: z.ZodType, like?: object): Expected => ({
  ...ok(shape, like),
  status: [200, 201, 202],
});

export const refused = (status: number, code: string): Expected => ({ status, code });
export const invalid = refused(400, 'VALIDATION_ERROR');
export const notFound = refused(404, 'NOT_FOUND');

/** One row for each body. */
export function bodyRows(
  rule: string,
  send: string,
  is: Expected,
  all: readonly unknown[],
): RequestRow[] {
  return eachOf(rule, all).map((body) => ({ rule, send, is, body }));
}

/** One row for each request. */
export function requestRows(rule: string, is: Expected, all: readonly string[]): RequestRow[] {
  return eachOf(rule, all).map((send) => ({ rule, send, is }));
}

/** @throws Error for an empty list, since a rule without cases would pass unchecked */
function eachOf<T>(rule: string, all: readonly T[]): readonly T[] {
  if (all.length === 0) throw new Error(`the rule "${rule}" has no case`);
  return all;
}

/** Creates this number of items, for rows about limits. */
export function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** A GUID-like id that no workspace has. */
export const absent = '00000000-0000-4000-8000-000000000000';

let keys = 0;

/** An Idempotency-Key never used before. */
export function freshKey(): string {
  keys += 1;
  return `conformance-${Date.now()}-${keys}`;
}
