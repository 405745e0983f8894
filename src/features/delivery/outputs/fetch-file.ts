// One attempt to download one file from a direct or signed URL to a connector: staged, inspected, then renamed.
import { downloadTo } from '../../../api/download.ts';
import type { Connector } from '../../../connectors/connector.ts';
import { toConnectorError } from '../../../connectors/connector-error.ts';
import type { NodeContext } from '../../../engine/node-context.ts';
import type { TransferredOutput } from '../../../plan/types.ts';
import type { AssetMetadata } from '../metadata/asset-metadata.ts';
import { deliverWithMetadata } from '../metadata/write-metadata.ts';
import { type FetchFailure, toRetryableError } from './fetch-retries.ts';
import { OutputError } from './output-error.ts';

/** Largest output that is downloaded; a 4K 16-bit TIFF has about 66 MB, a video some hundred MB. */
export const maxOutputBytes = 4 * 1024 ** 3;

export interface FetchTarget {
  key: string;
  /** Relative to the connector. */
  path: string;
  connector: Pick<Connector, 'stage'>;
  /** What is written into the file after its inspection; null for nothing. */
  metadata: AssetMetadata | null;
  /** Returns the size in pixels, 0 x 0 if the file is not a picture. Throws OutputError for a file that must not be delivered. */
  readonly inspect: (file: string, sha256: string) => Promise<{ width: number; height: number }>;
  /** Called before the file is renamed. Returns the share that differs from the previous picture; null if unknown. */
  readonly compare: (file: string, sha256: string) => Promise<number | null>;
}

/** What a download needs from the activity attempt. */
export interface FetchContext extends Pick<NodeContext, 'signal' | 'heartbeat' | 'assertLease'> {
  client: Pick<NodeContext['client'], 'network'>;
}

/**
 * Downloads a file. Returns errors that a retry may fix.
 * @throws all others, such as a full destination or a cancelled activity
 */
export async function fetchFile(
  { key, path, connector, metadata, inspect, compare }: FetchTarget,
  url: string,
  context: FetchContext,
): Promise<TransferredOutput | FetchFailure> {
  const { signal } = context;
  const onProgress = () => context.heartbeat();
  let sha256: string | undefined;
  try {
    onProgress();
    const staged = await connector.stage(path);
    try {
      const { network } = context.client;
      const maxBytes = maxOutputBytes;
      const download = await downloadTo({
        url,
        sink: staged,
        network,
        signal,
        maxBytes,
        onProgress,
      });
      ({ sha256 } = download);
      const { width, height } = await inspect(staged.file, sha256).catch((error: unknown) => {
        throw toConnectorError(error, 'write', path, `temporary file ${staged.file}`);
      });
      const change = width === 0 ? null : await compare(staged.file, sha256);
      const changed = change === null ? {} : { change };
      const fetched = { key, path, bytes: download.bytes, sha256, width, height, ...changed };
      if (metadata !== null) {
        const written = await deliverWithMetadata(
          staged.file,
          { path, connector },
          metadata,
          context,
        );
        return { ...fetched, sourceHash: sha256, ...written };
      }
      await context.assertLease();
      await staged.commit({ signal, onProgress });
      return fetched;
    } finally {
      // Failing to delete the temporary file must not fail the output.
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
