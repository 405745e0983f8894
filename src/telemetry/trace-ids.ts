// Ids of traces and spans, made from the names of runs: whoever knows the run knows them, so that nothing travels with its
// workflows and any worker can add its part (docs/decisions/057-traces-and-logs.md). Pure.
import { createHash } from 'node:crypto';

/** A part of a run whose span is known by name. */
export type Part = 'start' | 'run' | `shard ${number}`;

/** 32 hex digits. */
export function traceIdOf(run: string): string {
  return digest(`trace\n${run}`).slice(0, 32);
}

/** 16 hex digits. */
export function spanIdOf(run: string, part: Part): string {
  return digest(`span\n${run}\n${part}`).slice(0, 16);
}

/** True for this share of all traces; every process decides the same of a trace. */
export function isSampled(traceId: string, share: number): boolean {
  return Number.parseInt(traceId.slice(0, 8), 16) < share * 2 ** 32;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
