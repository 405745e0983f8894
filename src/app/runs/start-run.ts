// Starts the workflow of a run with a readable id, a summary and search attributes for the Temporal UI.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { findGrpcStatus, grpcCode } from '../../failures/grpc-status.ts';
import { type RunInput, workflowIds, workflowNames } from '../../plan/contract/contract.ts';
import { tracedMemoField } from '../../plan/contract/run-events.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { otherDestinationsOf } from '../../plan/run/deliveries.ts';
import { locationOf } from '../../plan/run/location.ts';
import { formatRerunSelection, type Rerun } from '../../plan/run/rerun.ts';
import type { RunLimits } from '../../plan/run/run-limits.ts';
import { runMemoOf } from '../../plan/run/run-memo.ts';
import type { Selection } from '../../plan/run/selection.ts';
import { searchAttributeNames } from '../../plan/search-attributes.ts';
import type { Plan } from '../../plan/types.ts';
import { callWithTimeout, responseTimeoutMs } from '../../temporal/call-with-timeout.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import { hasPrivateNames, toTemporalPlan } from '../../temporal/private-names.ts';
import { checkSearchAttributes, searchAttributeKeys } from '../../temporal/search-attributes.ts';
import { assertNotPaused } from '../assert-not-paused.ts';
import { formatSelection } from '../plan/selection.ts';
import { explainError, RenderlineError } from '../renderline-error.ts';
import { createRunId } from './run-id.ts';

export interface StartRunOptions {
  /** Limits that the run checks again after discovery, because files may change after the confirmation. */
  limits?: RunLimits;
  /** Absolute path of the pipeline file, from which `rerun --with latest` reads the current version. */
  path?: string | null;
  /** The assets to process. @default all new and changed assets */
  selection?: Selection | null;
  /** Take over assets that runs of another Temporal server have held longer than this. */
  takeOverMs?: number | undefined;
  verify?: boolean | undefined;
  mayRerender?: boolean | undefined;
  /** Withdraw all missing assets, even above `limits.withdrawn` or if the source is empty. */
  withdrawAll?: true | undefined;
  /** For a rerun: the part of the earlier run to repeat, its lineage and epoch, and the `ids` it was started for. */
  origin?: { rerun: Rerun; lineage: string; epoch: number; ids?: readonly string[] };
  /** Reason for the start, shown by `renderline audit`. */
  reason?: string | undefined;
  /** For a run requested by another program: its id, the same for repeated requests, and more fields of its memo. */
  request?: { run: string; memo: Readonly<Record<string, unknown>> } | undefined;
  /** True if the start itself has a span in the run's trace. */
  traced?: boolean;
  /** Called with the run id just before the request, which may start the run even if its response is lost. */
  onStarting?: ((run: string) => void) | undefined;
}

/** Statuses of requests that the server may have executed. */
const lostResponseCodes: readonly unknown[] = [
  grpcCode.cancelled,
  grpcCode.deadlineExceeded,
  grpcCode.unavailable,
];

/**
 * Starts the workflow `pipelineRun` and returns the run id. A run that is not a rerun uses its id as its lineage.
 * @throws RenderlineError ALL_PAUSED; WorkflowExecutionAlreadyStartedError for a request whose run exists
 */
export async function startRun(
  temporal: TemporalConnection,
  compiled: Plan,
  taskQueue: string,
  nowMs: number,
  options: StartRunOptions = {},
): Promise<string> {
  const { limits = {}, path, origin, takeOverMs, withdrawAll } = options;
  const selection = options.selection ?? undefined;
  const { verify, mayRerender, reason, request, traced } = options;
  await assertNotPaused(temporal.client, taskQueue, compiled.pipeline);
  const { rerun, epoch = 0, ids } = origin ?? {};
  const optionalInput = {
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
    ...omitUndefined({ rerun, ids, selection, takeOverMs, withdrawAll }),
    ...(verify ? { verify } : {}),
    ...(mayRerender ? { mayRerender } : {}),
  };
  const { searchable, ...search } = await readSearchAttributeSupport(temporal);
  const plan = toTemporalPlan(hasPrivateNames(temporal.client), compiled);
  const pipelineName = plan.alias ?? plan.pipeline;
  const typedSearchAttributes = [{ key: searchAttributeKeys.pipeline, value: pipelineName }];
  for (let attempt = 1; ; attempt += 1) {
    const run = request?.run ?? createRunId(pipelineName, nowMs);
    const lineage = origin?.lineage ?? run;
    const input: RunInput = { plan, run, lineage, epoch, searchable, ...search, ...optionalInput };
    options.onStarting?.(run);
    try {
      await callWithTimeout(temporal.client, responseTimeoutMs.usual, () =>
        temporal.client.workflow.start(workflowNames.run, {
          taskQueue,
          workflowId: workflowIds.run(run),
          args: [input],
          memo: {
            renderline: {
              ...runMemoOf(plan),
              ...(path ? { path } : {}),
              ...omitUndefined({ rerun, reason }),
            },
            ...request?.memo,
            ...(traced ? { [tracedMemoField]: true } : {}),
          },
          staticSummary: summaryOf(plan, rerun),
          staticDetails: formatDetails(plan, rerun, selection),
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          ...(searchable && { typedSearchAttributes }),
        }),
      );
      return run;
    } catch (error) {
      // The start is retried, because a run started in the same second may have the same random digits.
      const isTaken = error instanceof WorkflowExecutionAlreadyStartedError;
      if (!isTaken || request !== undefined || attempt === 5) throw toStartError(error, run);
    }
  }
}

/** Says that the run may have started, if the response was lost. Returns other errors unchanged. */
function toStartError(error: unknown, run: string): unknown {
  if (!lostResponseCodes.includes(findGrpcStatus(error)?.code)) return error;
  const failure = explainError(error);
  const message = `${failure.message} ${formatStartHint(run)}`;
  return new RenderlineError(failure, message, { details: { run }, cause: error });
}

/** Formats how to find out whether a run has started whose start was not confirmed. */
export function formatStartHint(run: string): string {
  return `The run ${run} may have started. Check it: renderline show ${run}`;
}

export type SearchAttributeSupport = Pick<
  RunInput,
  'searchable' | 'missingSearchAttributes' | 'hasPositionAttribute'
>;

/** Reads which search attributes are registered on the server. Some may be missing, because their number is limited. */
export async function readSearchAttributeSupport(
  temporal: TemporalConnection,
): Promise<SearchAttributeSupport> {
  const { client, connection, namespace } = temporal;
  const { missing, conflicting, reason } = await checkSearchAttributes(connection, namespace);
  const missingNames = [...missing, ...conflicting].map(({ name }) => name);
  const isMissing = (name: string) => missingNames.includes(name);
  const { pipeline, outcome, positions, failedKeys, failedModels } = searchAttributeNames;
  const searchable = reason === '' && ![pipeline, outcome].some(isMissing);
  const missingSearchAttributes = [failedKeys, failedModels].filter(isMissing);
  const hasPositions = !isMissing(positions) && !hasPrivateNames(client);
  return {
    searchable,
    ...(searchable && missingSearchAttributes.length > 0 ? { missingSearchAttributes } : {}),
    ...(searchable && hasPositions ? { hasPositionAttribute: true } : {}),
  };
}

/** Formats a summary line for the list of workflows in the Temporal UI. */
export function summaryOf(plan: Plan, rerun?: Rerun): string {
  const rerunText = rerun ? `, rerun of ${rerun.of}` : '';
  return `${plan.pipeline} (${plan.file})${rerunText}`.slice(0, 190);
}

/** Formats Markdown for the run's page in the Temporal UI. It is also readable as plain text. */
export function formatDetails(plan: Plan, rerun?: Rerun, selection?: Selection): string {
  const parameters = Object.entries(plan.parameters).map(
    ([name, value]) => `- ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const { destination } = plan;
  const destinations =
    destination === null ? [] : [destination, ...otherDestinationsOf(plan)].map(locationOf);
  const lines = [
    `**${plan.pipeline}**, from ${plan.file}, plan ${plan.hash}`,
    '',
    ...(rerun ? [`- Reruns: ${formatRerunSelection(rerun)}`] : []),
    ...(selection ? [`- Selection: ${formatSelection(selection)}`] : []),
    `- Steps: ${plan.steps.map(({ id }) => id).join(' → ')}`,
    ...(destinations.length === 0 ? [] : [`- Delivers to: ${destinations.join(', ')}`]),
    `- Records in: ${locationOf(plan.records)}`,
    ...(parameters.length === 0 ? [] : ['', 'Parameters:', '', ...parameters]),
  ];
  return lines.join('\n').slice(0, 18_000);
}
