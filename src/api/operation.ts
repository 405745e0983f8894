// What one API operation is: a row of data. Client, sandbox, openapi.json, `renderline api`
// and the reference pages are all derived from these rows; there is no second list.
import type { z } from 'zod';
import type { AnswerOf } from './answer-parts.ts';
import type { ErrorCode } from './error-codes.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Route = `${Method} /${string}`;

/**
 * When a request may be sent again after its outcome is unknown.
 * - `read`: always; nothing changes.
 * - `key`: under the same Idempotency-Key within 24 hours (section 8).
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
  /** A route that it may have, where its id says too little of it: shown to people who have to name one. */
  readonly example?: Route;
  /** Section of the platform reference that this row comes from. */
  readonly section: string;
  readonly summary: string;
  /** Path parameters of which more is known than that they are ids; all of them where there is no route. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /**
   * What a request says, in its path or its body, where the document does not show the body: a pipeline file says
   * how (`named-body.ts`).
   */
  readonly bodyFields?: readonly string[];
  /** Success status, or statuses where the document states several; the first is the usual one. */
  readonly status: number | readonly [number, ...number[]];
  /**
   * Shape of the success body as the platform promises it, with marks of what callers need of it (`answer-parts.ts`);
   * `redirect` for a 302 whose Location is the answer.
   */
  readonly response: z.ZodType | 'redirect';
  readonly errors: readonly ErrorCode[];
  /**
   * Things that a POST makes: their kind, the field by which an asset keeps the id of its own, and the kind of what they
   * are made of, which must stay for as long. `in`: the list of the body that has at the same place what each is made in.
   */
  readonly makes?: {
    readonly kind: string;
    readonly ref: string;
    readonly of?: string;
    readonly in?: string;
  };
  /** Kind of the things that it deletes for good; the id is its only path parameter. */
  readonly deletes?: string;
  readonly lists?: { readonly kind: string; readonly isNewestFirst: boolean };
  readonly proof: Proof;
  /** Reads that tell whoever has lost its answer, or got half of it, what it has made, or whether it has worked. */
  readonly shownBy?: readonly string[];
  /** The POST accepts an Idempotency-Key (sections 4 and 8). */
  readonly keyed: boolean;
  /** The body or query field that takes many ids, and how many (section 8). */
  readonly batch?: { readonly field: string; readonly max: number };
  /** MCP tool of section 4.12. */
  readonly tool?: string;
  /**
   * Whether the write overwrites or removes something.
   * @default false for a POST, true for the other methods
   */
  readonly destructive?: boolean;
  /** The document names a successor (section 9). */
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

/** What a caller passes: path parameters, query and body, each under its own name. */
export type InputOf<Row extends OperationRow> = ParamsOf<Row> & QueryOf<Row> & BodyOf<Row>;

/** What a caller gets: the parts of the body that it can rely on, or where the redirect points. */
export type OutputOf<Row extends OperationRow> = Row['response'] extends infer S extends z.ZodType
  ? AnswerOf<S>
  : { location: string };

/** Method and path of a row that has a route. */
export function splitRoute(route: Route): { method: Method; path: string } {
  const space = route.indexOf(' ');
  return { method: route.slice(0, space) as Method, path: route.slice(space + 1) };
}
