// Refuses workflows without a plan of this version or with the id of another run, for example if started manually.
import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import type { RunStart } from '../src/plan/contract/contract.ts';
import type { WorkflowFailureCode } from '../src/plan/run/workflow-failure-codes.ts';
import { type Plan, planSchema } from '../src/plan/types.ts';

/** Checks the plan of a start. @throws ApplicationFailure if there is no plan, or if the plan is of another version */
export function assertHasPlan(start: { plan: Plan } | undefined): void {
  const brought: string | undefined = start?.plan.schema;
  if (brought === undefined) {
    const { workflowType } = workflowInfo();
    throw startFailure(
      'NO_PLAN',
      `${workflowType} was started without a plan: by hand, or by signal-with-start; start runs with renderline run`,
    );
  }
  if (brought === planSchema) return;
  throw startFailure(
    'PLAN_VERSION',
    `this worker supports plan schema ${planSchema}, but the plan of the run uses ${brought}; start a worker of the version that compiled the plan, or run or apply the pipeline again with this version`,
  );
}

/** Refuses a run whose id differs from its workflow id, because claims, records and shards refer to a run by its id. */
export function assertOwnName({ run }: Pick<RunStart, 'run'>): void {
  const { workflowId } = workflowInfo();
  if (run === undefined || run === workflowId) return;
  throw startFailure(
    'NAME_OF_ANOTHER_RUN',
    `workflow ${workflowId} was started as run ${run}; rerun that run with renderline rerun ${run}, or reset it`,
  );
}

function startFailure(type: WorkflowFailureCode, message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, type);
}
