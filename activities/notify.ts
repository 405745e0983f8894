// Tells a receiver how a run ended; Temporal tries again for a day.

import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { safeMessage } from '../src/api/scrub.ts';
import { NoticeError, sendNotice } from '../src/engine/send-notice.ts';
import type { NoticeInput, NoticeResult } from '../src/plan/contract.ts';
import type { Deps } from './deps.ts';

export async function notify(input: NoticeInput, deps: Deps): Promise<NoticeResult> {
  const { info, cancellationSignal } = Context.current();
  const { secretFrom } = input.target;
  const secret = deps.environment[secretFrom];
  // Tried again like the rest: a worker that has it may be started meanwhile.
  if (!secret)
    throw failure(`${secretFrom} is not set in the environment of the worker`, false, []);
  try {
    const status = await sendNotice(input, secret, deps.now(), cancellationSignal);
    return { status, attempts: info.attempt };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw failure(message, error instanceof NoticeError && error.final, [secret, ...deps.secrets]);
  }
}

function failure(message: string, final: boolean, secrets: readonly string[]): ApplicationFailure {
  return ApplicationFailure.create({
    message: safeMessage(message, secrets),
    type: 'NoticeRefused',
    nonRetryable: final,
  });
}
