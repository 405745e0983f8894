// Derives the ids of traces and spans from run ids, so that workflows need not carry a trace context and any worker can
// add spans (docs/decisions/057-traces-and-logs.md). Pure.
import { createHash } from 'node:crypto';

/** A part of a run that has a span with a derived id. */
export type SpanPart = 'start' | 'run' | `shard ${number}`;

/** The trace id of a run: 32 hex digits. */
export function traceIdOf(run: string): string {
  return digest(`trace\n${run}`).slice(0, 32);
}

/** The span id of a part of a run: 16 hex digits. */
export function spanIdOf(run: string, part: SpanPart): string {
  return digest(`span\n${run}\n${part}`).slice(0, 16);
}

/** True for the given share of all traces. Every process makes the same decision for a trace. */
export function isSampled(traceId: string, share: number): boolean {
  return Number.parseInt(traceId.slice(0, 8), 16) < share * 2 ** 32;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
