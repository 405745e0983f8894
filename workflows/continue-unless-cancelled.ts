// Continues a workflow as new unless the workflow is being cancelled. The server does not pass a cancellation to the
// continuation, which would then run forever.
import { CancelledFailure, type Workflow } from '@temporalio/common';
import {
  CancellationScope,
  type ContinueAsNewOptions,
  makeContinueAsNewFunc,
} from '@temporalio/workflow';

/** History events after the workflow has read the length of its history: task completed, execution closed. */
export const eventsToClose = 2;

/**
 * Must be the last action of an execution. An activity that succeeds during a cancellation hides it from the code that
 * follows, so this function checks for it.
 * @throws CancelledFailure if the workflow was cancelled
 */
export function continueUnlessCancelled<F extends Workflow>(
  args: Parameters<F>,
  options?: ContinueAsNewOptions,
): Promise<never> {
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled');
  return makeContinueAsNewFunc<F>(options)(...args);
}
