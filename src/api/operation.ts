// An API operation as a row of data. Client, sandbox, openapi.json, `renderline api`
// and the reference pages are all derived from these rows; there is no second list.
import type { z } from 'zod';
import type { AnswerOf } from './answer-parts.ts';
import type { ErrorCode } from './error-codes.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];
export type Route = `${Method} /${string}`;

/**
 * When a request may be sent again after its outcome is unknown.
 * - `read`: always; nothing changes.
 * - `key`: under the same Idempotency-Key within 24 hours (platform.md, section 8).
 * - `lookup`: after a look at what shows that it has worked (`shownBy`), under the key.
 * - `none`: only under the same key within 23 hours; no operation lists what it made.
 * - `repeat`: the operation sets a state; doing it twice is doing it once.
 */
export type Proof = 'read' | 'key' | 'lookup' | 'none' | 'repeat';

export interface OperationRow {
  /** Stable name: the client method, the operationId and the `renderline api` argument. */
  readonly id: string;
  /** null where the platform document shows no path: resolved from the live openapi.json or `operations:`. */
  readonly route: Route | null;
  /** Example of a route, shown to people who have to name one, where the id says too little of it. */
  readonly example?: Route;
  /** Section of the platform reference that this row comes from. */
  readonly section: string;
  readonly summary: string;
  /** Path parameters that are more than plain ids; all of them where there is no route. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /**
   * Fields that a request carries in its path or its body where the document does not show the body: a pipeline file says
   * how (`named-body.ts`).
   */
  readonly bodyFields?: readonly string[];
  /** Success status, or statuses where the document states several; the first is the usual one. */
  readonly status: number | readonly [number, ...number[]];
  /**
   * Shape of the success body as the platform promises it, with marks of the parts that callers need (`answer-parts.ts`);
   * `redirect` for a 302 whose Location is the answer.
   */
  readonly response: z.ZodType | 'redirect';
  readonly errors: readonly ErrorCode[];
  /**
   * Things that a POST makes: their kind, the field in which an asset keeps the id of its own, and the kind of thing they
   * are made of, which must exist as long as they do. `in`: the list of the body that has at the same place what each is
   * made in.
   */
  readonly makes?: {
    readonly kind: string;
    readonly ref: string;
    readonly of?: string;
    readonly in?: string;
  };
  /** Kind of the things that it deletes for good; its only path parameter is their id. */
  readonly deletes?: string;
  readonly lists?: { readonly kind: string; readonly isNewestFirst: boolean };
  readonly proof: Proof;
  /** Reads by which a caller that has lost an answer finds out what the call made or whether it worked. */
  readonly shownBy?: readonly string[];
  /** The POST accepts an Idempotency-Key (platform.md, sections 4 and 8). */
  readonly keyed: boolean;
  /** The body or query field that takes many ids, and how many (platform.md, section 8). */
  readonly batch?: { readonly field: string; readonly max: number };
  /** MCP tool of platform.md, section 4.12. */
  readonly tool?: string;
  /**
   * True where the write overwrites or removes something.
   * @default false for a POST, true for the other methods
   */
  readonly destructive?: boolean;
  /** The document names a successor (platform.md, section 9). */
  readonly deprecated?: true;
  /** false only for the API description itself. */
  readonly auth?: false;
}

/** Keeps the literal types of a row. Duplicate ids are refused by the registry test. */
export function operation<const Row extends OperationRow>(row: Row): Row {
  return row;
}

type ParamNames<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

type ParamsOf<Row extends OperationRow> = Row['route'] extends string
  ? [ParamNames<Row['route']>] extends [never]
    ? { params?: undefined }
    : { params: Record<ParamNames<Row['route']>, string> }
  : { params?: Record<string, string> };

type QueryOf<Row> = Row extends { query: infer Q extends z.ZodType }
  ? { query?: z.input<Q> }
  : { query?: undefined };
type BodyOf<Row> = Row extends { body: infer B extends z.ZodType }
  ? { body: z.input<B> }
  : { body?: undefined };

/** Input of an operation: path parameters, query and body, each under its own name. */
export type InputOf<Row extends OperationRow> = ParamsOf<Row> & QueryOf<Row> & BodyOf<Row>;

/** Output of an operation: the parts of the body that are certain, or the target of the redirect. */
export type OutputOf<Row extends OperationRow> = Row['response'] extends infer S extends z.ZodType
  ? AnswerOf<S>
  : { location: string };

/** Method and path of a route. @throws TypeError for an unknown method */
export function splitRoute(route: Route): { method: Method; path: string } {
  const method = methods.find((one) => route.startsWith(`${one} `));
  if (method === undefined) throw new TypeError(`"${route}" begins with no known method`);
  return { method, path: route.slice(method.length + 1) };
}
