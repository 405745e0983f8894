// API operations as data. The client, sandbox, openapi.json, `renderline api` and reference are derived from them.
import type { z } from 'zod';
import type { ErrorCode } from './error-codes.ts';
import type { ResponseOf } from './response-marks.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];
export type Route = `${Method} /${string}`;

/**
 * When a request with an unknown outcome may be sent again.
 * - `read`: always, because it changes nothing.
 * - `key`: with the same Idempotency-Key within 24 hours.
 * - `lookup`: with the same key, after the reads in `verifiedBy` have shown that it had no effect.
 * - `none`: only with the same key within 23 hours, because no list shows what it created.
 * - `repeat`: always, because it sets a state and is idempotent.
 */
export type RetrySafety = 'read' | 'key' | 'lookup' | 'none' | 'repeat';

const keyErrors = ['IDEMPOTENCY_CONFLICT', 'IDEMPOTENCY_KEY_REUSED'] as const;

export interface OperationRow {
  /** Stable name: the client method, the operationId and the `renderline api` argument. */
  readonly id: string;
  /** Null if the platform's reference shows no path. The live openapi.json or `operations:` then defines it. */
  readonly route: Route | null;
  /** Example route for people who have to specify one, if it cannot be derived from the id. */
  readonly example?: Route;
  /** Section of the platform's reference that describes this operation. */
  readonly section: string;
  readonly summary: string;
  /** Path parameters that are not plain ids, or all path parameters if there is no route. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /**
   * Fields of a request whose body the reference does not show. A pipeline file defines where they go in the path and
   * body (`named-body.ts`).
   */
  readonly bodyFields?: readonly string[];
  /** Success status, or all success statuses with the usual one first. */
  readonly status: number | readonly [number, ...number[]];
  /** Schema of the promised body. `markRequired()` marks required parts. `redirect` is a 302 whose Location is the result. */
  readonly response: z.ZodType | 'redirect';
  readonly errors: readonly ErrorCode[];
  /**
   * Resources that a POST creates: their kind, and the field in which an asset stores the id. `parentKind` is the kind
   * of resource that must exist as long as the created one. `in` is the body's list of parents, with the same indexes.
   */
  readonly creates?: {
    readonly kind: string;
    readonly idField: string;
    readonly parentKind?: string;
    readonly in?: string;
  };
  /** Kind of the resources that the operation deletes permanently. Its only path parameter is the id. */
  readonly deletes?: string;
  /** Kind of the resources that the operation reads. Its only path parameter is the id. */
  readonly reads?: string;
  readonly lists?: { readonly kind: string; readonly isNewestFirst: boolean };
  readonly retrySafety: RetrySafety;
  /** Reads that show, after a lost response, whether the call succeeded and what it created. */
  readonly verifiedBy?: readonly string[];
  /** True if the POST accepts an Idempotency-Key. */
  readonly hasIdempotencyKey: boolean;
  /** The body or query field that accepts many items, and their maximum number. */
  readonly batch?: { readonly field: string; readonly max: number };
  /** Name of the MCP tool in the platform's reference. */
  readonly tool?: string;
  /** True if the write overwrites or removes something. @default false for a POST, true for the other methods */
  readonly destructive?: boolean;
  /** Set if the platform's reference mentions a successor. */
  readonly deprecated?: true;
  /** False only for the API description itself, which requires no key. */
  readonly auth?: false;
}

/**
 * An operation as its table defines it. By default, `retrySafety` is `read` for a GET route and `repeat` for a PUT or
 * DELETE route. Every other operation must declare it, because HTTP does not promise that its calls may be repeated.
 */
type OperationFields = Omit<
  OperationRow,
  'id' | 'section' | 'status' | 'hasIdempotencyKey' | 'retrySafety'
> & {
  /** Section of the reference. @default the section of the family */
  readonly section?: string;
  /** @default 200 */
  readonly status?: OperationRow['status'];
  /** @default true for a POST route */
  readonly hasIdempotencyKey?: boolean;
} & (
    | { readonly route: `${'GET' | 'PUT' | 'DELETE'} /${string}` }
    | { readonly retrySafety: RetrySafety }
  );

type DefinedRow<Id, Fields> = Omit<Fields, 'errors'> &
  Pick<OperationRow, 'section' | 'errors' | 'hasIdempotencyKey' | 'retrySafety'> & {
    readonly id: Id;
    readonly status: Fields extends { status: infer Status } ? Status : 200;
  };

/**
 * Adds ids and defaults to the operations of a family, and keeps their literal types. An operation that accepts an
 * idempotency key also gets the errors for a key that is in use or was used with another body.
 */
export function defineOperations<const Rows extends Record<string, OperationFields>>(
  section: string,
  rows: Rows,
): { readonly [Id in keyof Rows]: DefinedRow<Id, Rows[Id]> };
export function defineOperations(section: string, rows: Record<string, OperationFields>): object {
  const toOperation = ([id, fields]: [string, OperationFields]): [string, OperationRow] => {
    const { route, errors, hasIdempotencyKey = route?.startsWith('POST ') ?? false } = fields;
    const defaults = {
      status: 200,
      retrySafety: route?.startsWith('GET ') ? 'read' : 'repeat',
    } as const;
    return [
      id,
      {
        id,
        section,
        ...defaults,
        ...fields,
        hasIdempotencyKey,
        errors: hasIdempotencyKey ? [...errors, ...keyErrors] : errors,
      },
    ];
  };
  return Object.fromEntries(Object.entries(rows).map(toOperation));
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

/** Input of an operation: path parameters (`params`), `query` and `body`. */
export type InputOf<Row extends OperationRow> = ParamsOf<Row> & QueryOf<Row> & BodyOf<Row>;

/** Output of an operation: the body that callers receive, or the target of the redirect. */
export type OutputOf<Row extends OperationRow> = Row['response'] extends infer S extends z.ZodType
  ? ResponseOf<S>
  : { location: string };

/** Splits a route into method and path. @throws TypeError for an unknown method */
export function splitRoute(route: Route): { method: Method; path: string } {
  const method = methods.find((candidate) => route.startsWith(`${candidate} `));
  if (method === undefined) throw new TypeError(`"${route}" does not begin with a known method`);
  return { method, path: route.slice(method.length + 1) };
}
