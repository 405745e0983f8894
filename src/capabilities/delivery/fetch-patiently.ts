// Downloads one file, with retries until it is complete and as ordered, or until a retry cannot help.
import { TransportError } from '../../api/errors.ts';
import { TransferError } from '../../api/transfer-errors.ts';
import type { KnownFailure } from '../../failures/define.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import type { DeliveredFile } from '../../plan/types.ts';
import type { OutputRef } from '../renders/refs.ts';
import { deliveryFailures } from './failures.ts';
import { fetchFile, type Wanted } from './fetch-file.ts';
import { DeliveryError, OutputError, outputWords } from './output-error.ts';
import { mayBeLarge } from './output-types.ts';
import type { PlannedFile } from './planned-file.ts';
import { nextTry, type Patience, type Trouble } from './tries.ts';

/**
 * Does not occupy a transfer slot while it waits.
 * @throws DeliveryError, with the last error as its cause, if the asset fails; the destination's own error otherwise
 */
export async function fetchPatiently(
  wanted: Wanted & PlannedFile,
  { pause, untilMs }: Patience,
  context: NodeContext,
): Promise<DeliveredFile> {
  const troubles: Trouble[] = [];
  let { url } = wanted.output;
  for (;;) {
    const came = await context.transfers.run(async () => {
      // A signed link is requested only now because it expires after an hour.
      url ??= await wanted.freshUrl();
      return fetchFile(wanted, url, context);
    }, mayBeLarge(wanted.output));
    if (!('error' in came)) return came;
    troubles.push(came);
    const next = context.now() < untilMs ? nextTry(troubles) : null;
    if (next === null) throw endOf(came, troubles.length, wanted.output);
    await pause(next.afterMs, context.signal);
    if (next.fresh) url = await wanted.freshUrl();
  }
}

function endOf({ error }: Trouble, tries: number, output: OutputRef): Error {
  const often = tries === 1 ? '' : ` (tried ${tries} times)`;
  const failed = (failure: KnownFailure, message: string) =>
    new DeliveryError(failure, message + often, tries, { cause: error });
  if (error instanceof OutputError) return failed(error.failure, error.message);
  const message = `${outputWords(output)}: ${error.message}`;
  if (error instanceof TransferError) return failed(deliveryFailures.OUTPUT_REFUSED, message);
  if (error instanceof TransportError) return failed(deliveryFailures.OUTPUT_UNREACHABLE, message);
  return error;
}
