// Downloads one file. Retries until the file is complete and as requested, or until a retry cannot help.
import { TransportError } from '../../../api/errors/errors.ts';
import { TransferError } from '../../../api/errors/transfer-errors.ts';
import type { NodeContext } from '../../../engine/node-context.ts';
import type { KnownFailure } from '../../../failures/define.ts';
import type { TransferredOutput } from '../../../plan/types.ts';
import type { OutputRef } from '../../renders/platform-ids.ts';
import { deliveryFailures } from '../failures.ts';
import type { PlannedFile } from '../planned-file.ts';
import { type FetchTarget, fetchFile } from './fetch-file.ts';
import { type FetchFailure, nextRetry, type RetryWindow } from './fetch-retries.ts';
import { DeliveryError, formatOutput, OutputError } from './output-error.ts';
import { mayBeLarge } from './output-types.ts';

/**
 * Downloads a file, and does not occupy a transfer slot while it waits for the next attempt.
 * @throws DeliveryError, with the last error as its cause, if the asset fails; the destination's own error otherwise
 */
export async function fetchWithRetry(
  wanted: FetchTarget & Pick<PlannedFile, 'output' | 'readUrl'>,
  { pause, untilMs }: RetryWindow,
  context: NodeContext,
): Promise<TransferredOutput> {
  const failures: FetchFailure[] = [];
  let { url } = wanted.output;
  for (;;) {
    const result = await context.transfers.run(async () => {
      // A signed link is requested only now because it expires after an hour.
      url ??= await wanted.readUrl();
      return fetchFile(wanted, url, context);
    }, mayBeLarge(wanted.output));
    if (!('error' in result)) return result;
    failures.push(result);
    const next = context.now() < untilMs ? nextRetry(failures) : null;
    if (next === null) throw toDeliveryError(result, failures.length, wanted.output);
    await pause(next.afterMs, context.signal);
    const isRefused = result.error instanceof TransferError;
    if (next.needsNewUrl) url = await wanted.readUrl(isRefused ? url : undefined);
  }
}

function toDeliveryError({ error }: FetchFailure, tries: number, output: OutputRef): Error {
  const attemptsNote = tries === 1 ? '' : ` (tried ${tries} times)`;
  const failed = (failure: KnownFailure, message: string) =>
    new DeliveryError(failure, message + attemptsNote, tries, { cause: error });
  if (error instanceof OutputError) return failed(error.failure, error.message);
  const message = `${formatOutput(output)}: ${error.message}`;
  if (error instanceof TransferError) return failed(deliveryFailures.OUTPUT_REFUSED, message);
  if (error instanceof TransportError) return failed(deliveryFailures.OUTPUT_UNREACHABLE, message);
  return error;
}
