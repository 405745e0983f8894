// Continues a workflow as new, but never one that is being cancelled: the server does not pass a cancel on to the
// continuation, which would then run for ever.
import { CancelledFailure, type Workflow } from '@temporalio/common';
import {
  CancellationScope,
  type ContinueAsNewOptions,
  makeContinueAsNewFunc,
} from '@temporalio/workflow';

/**
 * The last thing that an execution does. An activity that ends well while it is being cancelled hides the cancel from the
 * code after it, so the cancel is checked here.
 * @throws CancelledFailure where the workflow was cancelled
 */
export function continueUnlessCancelled<F extends Workflow>(
  args: Parameters<F>,
  options?: ContinueAsNewOptions,
): Promise<never> {
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled');
  return makeContinueAsNewFunc<F>(options)(...args);
}
