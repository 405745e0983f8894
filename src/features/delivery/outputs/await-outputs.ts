// Repeats work on a job that completed without any output: its outputs may appear a little later.
import type { NodeContext } from '../../../engine/node-context.ts';
import { deliveryFailures } from '../failures.ts';
import type { RetryWindow } from './fetch-retries.ts';
import { DeliveryError } from './output-error.ts';

const delaysMs = [2_000, 5_000, 10_000];

/** @throws DeliveryError NO_OUTPUT if there is still no output at the end */
export async function awaitOutputs<T>(
  work: () => Promise<T>,
  { pause, untilMs }: RetryWindow,
  { transfers, now, signal }: Pick<NodeContext, 'transfers' | 'now' | 'signal'>,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await transfers.run(work);
    } catch (error) {
      const pauseMs = delaysMs[tries];
      const isWithoutOutput =
        error instanceof DeliveryError && error.failure === deliveryFailures.NO_OUTPUT;
      if (!isWithoutOutput || pauseMs === undefined || now() >= untilMs) throw error;
      await pause(pauseMs, signal);
    }
  }
}
