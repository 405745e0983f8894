// One file from a direct or signed address to a connector: written aside, looked at, then renamed.
import { createWriteStream } from 'node:fs';
import { downloadTo } from '../../api/download.ts';
import { toConnectorError } from '../../connectors/connector-error.ts';
import type { NodeContext } from '../../nodes/node-context.ts';
import type { DeliveredFile } from '../../plan/types.ts';

/** Largest single output that is taken; a 4K 16-bit TIFF has about 66 MB, a video some hundred. */
const outputBytesAtMost = 4 * 1024 ** 3;

export interface Wanted {
  key: string;
  url: string;
  /** Relative to the connector. */
  path: string;
  connector: string;
  /** Size in pixels, 0 x 0 for what is no picture; throws for what must not be delivered. */
  readonly inspect: (file: string) => Promise<{ width: number; height: number }>;
}

export async function fetchFile(wanted: Wanted, context: NodeContext): Promise<DeliveredFile> {
  const { key, url, path, inspect } = wanted;
  context.heartbeat();
  const connector = context.connectorNamed(wanted.connector);
  const staged = await connector.stage(path);
  try {
    const { bytes, sha256 } = await downloadTo({
      url,
      sink: createWriteStream(staged.file),
      network: context.client.network,
      signal: context.signal,
      maxBytes: outputBytesAtMost,
      onProgress: () => context.heartbeat(),
    });
    const { width, height } = await inspect(staged.file);
    await staged.commit();
    return { key, path, bytes, sha256, width, height };
  } catch (error) {
    await staged.discard();
    throw toConnectorError(error, 'write', path, connector.describe());
  }
}
