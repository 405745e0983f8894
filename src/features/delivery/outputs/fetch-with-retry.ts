import { downloadTo } from '../../../api/download.ts';
import { TransportError } from '../../../api/errors/errors.ts';
import { TransferError } from '../../../api/errors/transfer-errors.ts';
import type { Connector } from '../../../connectors/connector.ts';
import { toConnectorError } from '../../../connectors/connector-error.ts';
import type { NodeContext } from '../../../engine/node-context.ts';
import type { KnownFailure } from '../../../failures/define.ts';
import type { TransferredOutput } from '../../../plan/types.ts';
import type { OutputRef } from '../../renders/platform-ids.ts';
import { deliveryFailures } from '../failures.ts';
import type { AssetMetadata } from '../metadata/asset-metadata.ts';
import { deliverWithMetadata } from '../metadata/write-metadata.ts';
import {
  chooseNextRetry,
  type FetchFailure,
  type RetryWindow,
  toRetryableError,
} from './fetch-retries.ts';
import { DeliveryError, formatOutput, OutputError } from './output-error.ts';
import { canBeLarge } from './output-types.ts';

/**
 * Downloads a file. Does not occupy a transfer slot while it waits for the next attempt.
 * @throws DeliveryError, with the last error as its cause, if the asset fails; the destination's own error otherwise
 */
export async function fetchWithRetry(
  target: FetchTarget & { output: OutputRef; readUrl: (refusedUrl?: string) => Promise<string> },
  { pause, retryUntilAtMs }: RetryWindow,
  context: NodeContext,
): Promise<TransferredOutput> {
  const failures: FetchFailure[] = [];
  let { url } = target.output;
  for (;;) {
    const result = await context.transfers.run(async () => {
      // The signed link is requested only now, because it expires after an hour.
      url ??= await target.readUrl();
      return fetchFile(target, url, context);
    }, canBeLarge(target.output));
    if (!('error' in result)) return result;
    failures.push(result);
    const next = context.now() < retryUntilAtMs ? chooseNextRetry(failures) : null;
    if (next === null) throw toDeliveryError(result, failures.length, target.output);
    await pause(next.afterMs, context.signal);
    const isRefused = result.error instanceof TransferError;
    if (next.needsNewUrl) url = await target.readUrl(isRefused ? url : undefined);
  }
}

function toDeliveryError({ error }: FetchFailure, tries: number, output: OutputRef): Error {
  const attemptsNote = tries === 1 ? '' : ` (tried ${tries} times)`;
  const createError = (failure: KnownFailure, message: string) =>
    new DeliveryError(failure, message + attemptsNote, tries, { cause: error });
  if (error instanceof OutputError) return createError(error.failure, error.message);
  const message = `${formatOutput(output)}: ${error.message}`;
  if (error instanceof TransferError) return createError(deliveryFailures.OUTPUT_REFUSED, message);
  if (error instanceof TransportError)
    return createError(deliveryFailures.OUTPUT_UNREACHABLE, message);
  return error;
}

/** Maximum size of an output that is downloaded. A 4K 16-bit TIFF is about 66 MB, and a video a few hundred MB. */
export const maxOutputBytes = 4 * 1024 ** 3;

export interface FetchTarget {
  key: string;
  /** Path relative to the connector. */
  path: string;
  connector: Pick<Connector, 'stage'>;
  /** Metadata that is written into the file after its inspection. Null if nothing is written. */
  metadata: AssetMetadata | null;
  /** Returns the size in pixels, or 0 x 0 for other files. @throws OutputError if the file must not be delivered */
  readonly inspect: (file: string, sha256: string) => Promise<{ width: number; height: number }>;
  /** Called before a picture is renamed. Returns the share that differs from the previous one, or null. */
  readonly compare: (file: string, sha256: string) => Promise<number | null>;
}

interface FetchDeps extends Pick<NodeContext, 'signal' | 'heartbeat' | 'assertLease'> {
  client: Pick<NodeContext['client'], 'network'>;
}

/**
 * Downloads a file. Returns an OutputError, or an error that a retry may fix.
 * @throws all other errors, such as a full destination or a cancelled activity
 */
export async function fetchFile(
  { key, path, connector, metadata, inspect, compare }: FetchTarget,
  url: string,
  context: FetchDeps,
): Promise<TransferredOutput | FetchFailure> {
  const { signal } = context;
  const onProgress = () => context.heartbeat();
  let sha256: string | undefined;
  try {
    onProgress();
    const staged = await connector.stage(path);
    try {
      const { network } = context.client;
      const options = { network, signal, maxBytes: maxOutputBytes, onProgress };
      const download = await downloadTo({ url, sink: staged, ...options });
      ({ sha256 } = download);
      const { bytes } = download;
      const { width, height } = await inspect(staged.file, sha256).catch((error: unknown) => {
        throw toConnectorError(error, 'write', path, `temporary file ${staged.file}`);
      });
      const change = width === 0 ? null : await compare(staged.file, sha256);
      const changeField = change === null ? {} : { change };
      const fetchedFile = { key, path, bytes, sha256, width, height, ...changeField };
      if (metadata !== null) {
        const target = { path, connector };
        const writtenFile = await deliverWithMetadata(staged.file, target, metadata, context);
        return { ...fetchedFile, sourceHash: sha256, ...writtenFile };
      }
      await context.assertLease();
      await staged.commit({ signal, onProgress });
      return fetchedFile;
    } finally {
      // A temporary file that cannot be deleted must not fail the output.
      await staged.discard().catch(() => undefined);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OutputError && sha256 !== undefined) return { error, sha256 };
    const retryable = toRetryableError(error);
    if (retryable === null) throw error;
    return { error: retryable };
  }
}
