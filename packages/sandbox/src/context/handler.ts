// Types of operation handlers: one function per operation. If a function is missing, the code does not compile.

import type { InputOf, OperationRow } from 'renderline/api/contract/operation';
import type { Operations } from 'renderline/api/operations/index';
import type { z } from 'zod';
import type { ServedId } from '../http/routes.ts';
import type { Sandbox } from './sandbox.ts';

type DecodedQuery<Row> = Row extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
type DecodedBody<Row> = Row extends { body: infer B extends z.ZodType } ? z.output<B> : undefined;

/** A request that has passed the checks of the API key, of the rate limit and of the operation's schemas. */
export interface Request<Row extends OperationRow> {
  readonly params: NonNullable<InputOf<Row>['params']>;
  readonly query: DecodedQuery<Row>;
  readonly body: DecodedBody<Row>;
  /** Scheme, host and port that the client used. It is the base of all links. */
  readonly origin: string;
  /** Time of the request in epoch milliseconds. */
  readonly nowMs: number;
}

type BodyOf<Row extends OperationRow> = Row['response'] extends infer S extends z.ZodType
  ? z.input<S>
  : { readonly location: string };

/** The response body, or the location of a redirect. If the operation has several statuses, includes the chosen one. */
export type Reply<Row extends OperationRow> = Row['status'] extends number
  ? BodyOf<Row>
  : { readonly status: (Row['status'] & readonly number[])[number]; readonly body: BodyOf<Row> };

export type Handler<Row extends OperationRow> = (
  request: Request<Row>,
  sandbox: Sandbox,
) => Reply<Row> | Promise<Reply<Row>>;

/** One handler for each served operation. Each file in `operations/` has the handlers of one resource. */
export type Handlers = { readonly [Id in ServedId]: Handler<Operations[Id]> };
