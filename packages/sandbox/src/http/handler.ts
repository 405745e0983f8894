// Types of handlers: one function per row. A row without one does not compile.

import type { InputOf, OperationRow } from 'renderline/api/operation';
import type { Operations } from 'renderline/api/operations/index';
import type { z } from 'zod';
import type { Sandbox } from '../sandbox.ts';
import type { ServedId } from './routes.ts';

type DecodedQuery<Row> = Row extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
type DecodedBody<Row> = Row extends { body: infer B extends z.ZodType } ? z.output<B> : undefined;

/** A request that passed the key, the rate limit and the row's schemas. */
export interface Request<Row extends OperationRow> {
  readonly params: NonNullable<InputOf<Row>['params']>;
  readonly query: DecodedQuery<Row>;
  readonly body: DecodedBody<Row>;
  /** Scheme, host and port that the client used; links are made from it. */
  readonly origin: string;
  /** Epoch milliseconds at which the request counts as handled. */
  readonly now: number;
}

type BodyOf<Row extends OperationRow> = Row['response'] extends infer S extends z.ZodType
  ? z.input<S>
  : { readonly location: string };

/** The success body; where the row states several statuses, the one chosen beside it. */
export type Reply<Row extends OperationRow> = Row['status'] extends number
  ? BodyOf<Row>
  : { readonly status: (Row['status'] & readonly number[])[number]; readonly body: BodyOf<Row> };

export type Handler<Row extends OperationRow> = (
  request: Request<Row>,
  sandbox: Sandbox,
) => Reply<Row> | Promise<Reply<Row>>;

/** One handler for each operation that is served. A file per resource satisfies a part of it. */
export type Handlers = { readonly [Id in ServedId]: Handler<Operations[Id]> };
