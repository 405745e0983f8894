// Messages and stack traces of failures travel in the clear unless they are put into a payload, which the worker encrypts.
// That is done where the worker has keys; without them they stay where the Temporal UI shows them.
import { DefaultFailureConverter, type FailureConverter } from '@temporalio/common';
import type { ActivateInput, WorkflowInterceptors } from '@temporalio/workflow';

const inTheClear = new DefaultFailureConverter({ encodeCommonAttributes: false });
const encoded = new DefaultFailureConverter({ encodeCommonAttributes: true });

/** Workflow code sees no keys: the worker's codec marks the payloads that it hands in. */
const mark = 'renderline-encrypts';
let encrypts = false;

/** Module state belongs to one workflow; the worker that has it in memory decides. Commands are the same either way. */
export const failureConverter: FailureConverter = {
  errorToFailure: (...given) => (encrypts ? encoded : inTheClear).errorToFailure(...given),
  failureToError: (...given) => inTheClear.failureToError(...given),
};

export function interceptors(): WorkflowInterceptors {
  const activate = (input: ActivateInput, next: (input: ActivateInput) => void) => {
    for (const { initializeWorkflow } of input.activation.jobs ?? []) {
      const [first] = initializeWorkflow?.arguments ?? [];
      if (first) encrypts = first.metadata?.[mark] !== undefined;
    }
    next(input);
  };
  return { internals: [{ activate }] };
}
