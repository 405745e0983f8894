// Messages and stack traces of failures are sent unencrypted unless they are put into a payload, which the worker
// encrypts. They are put into payloads only if the worker has keys. Without keys, they stay visible in the Temporal UI.
import { DefaultFailureConverter, type FailureConverter } from '@temporalio/common';
import type { ActivateInput, WorkflowInterceptors } from '@temporalio/workflow';

const plainConverter = new DefaultFailureConverter({ encodeCommonAttributes: false });
const encodedConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });

/** Workflow code cannot see keys, so the worker's codec marks the payloads that it decrypts. */
const encryptionMark = 'renderline-encrypts';
let hasEncryption = false;

/**
 * Converts failures. Each workflow has its own `hasEncryption`, which the worker that has the workflow in memory sets.
 * A replay on another worker stays deterministic, because the converter changes only how a command encodes its failure.
 */
export const failureConverter: FailureConverter = {
  errorToFailure: (...parameters) =>
    (hasEncryption ? encodedConverter : plainConverter).errorToFailure(...parameters),
  failureToError: (...parameters) => plainConverter.failureToError(...parameters),
};

export function interceptors(): WorkflowInterceptors {
  const activate = (input: ActivateInput, next: (input: ActivateInput) => void) => {
    for (const { initializeWorkflow } of input.activation.jobs ?? []) {
      const [first] = initializeWorkflow?.arguments ?? [];
      if (first) hasEncryption = first.metadata?.[encryptionMark] !== undefined;
    }
    next(input);
  };
  return { internals: [{ activate }] };
}
