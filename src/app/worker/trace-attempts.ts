import {
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
} from '@temporalio/common';
import type { ActivityExecuteInput, ActivityInterceptorsFactory } from '@temporalio/worker';
import { asRecord } from '../../api/unknown-values.ts';
import type { AttemptSpan, Tracing } from '../../telemetry/tracing.ts';

/** Traces attempts. Activities outside a run, such as the election of the poll leader, have no span. */
export function traceAttempts(tracing: Tracing): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      execute(input, next) {
        const span = spanOf(info, input);
        return span === null ? next(input) : tracing.attempt(span, () => next(input));
      },
    },
  });
}

function spanOf(
  { activityType, attempt }: { activityType: string; attempt: number },
  { args }: ActivityExecuteInput,
): AttemptSpan | null {
  const input = asRecord(args[0]);
  const { run, pipeline } = asRecord(input['context'] ?? input['notice']);
  if (typeof run !== 'string') return null;
  const { shard, assets } = input;
  const { id, node } = asRecord(input['step']);
  return {
    run,
    ...(typeof shard === 'number' ? { shard } : {}),
    name: typeof id === 'string' ? id : activityType,
    attributes: {
      'renderline.run': run,
      'renderline.attempt': attempt,
      'renderline.activity': activityType,
      ...(typeof pipeline === 'string' ? { 'renderline.pipeline': pipeline } : {}),
      ...(typeof shard === 'number' ? { 'renderline.shard': shard + 1 } : {}),
      ...(typeof node === 'string' ? { 'renderline.node': node } : {}),
      ...(Array.isArray(assets) ? { 'renderline.assets': assets.length } : {}),
    },
    problemOf,
  };
}

/** Returns the error code for a span. Null for cancellations and unfinished waits. Omits messages with asset names. */
function problemOf(error: unknown): string | null {
  if (error instanceof CancelledFailure) return null;
  if (!(error instanceof ApplicationFailure)) return 'UNKNOWN';
  return error.category === ApplicationFailureCategory.BENIGN ? null : (error.type ?? 'UNKNOWN');
}
