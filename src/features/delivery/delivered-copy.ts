import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { stageLocally } from '../../connectors/staging.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import type { DeliveredFile } from '../../plan/types.ts';
import { computeSha256 } from '../../store/discovery/list-files.ts';

/** A destination for a file that is needed only on this machine. Committing does not keep the file. */
export const temporaryTarget: Pick<Connector, 'stage'> = {
  stage: (path) => stageLocally(path, async ({ bytes }) => ({ path, bytes, mtimeMs: 0 })),
};

/** Runs `task` with a local copy. Returns null if the file is missing, changed or unreadable at its destination. */
export async function withDeliveredCopy<T>(
  { file, connector }: { file: DeliveredFile; connector: Connector | null },
  context: Pick<NodeContext, 'signal' | 'heartbeat'>,
  task: (copy: string) => Promise<T>,
): Promise<T | null> {
  if (connector === null) return null;
  const copy = await temporaryTarget.stage(file.path);
  try {
    const isFullCopy = await copyInto((chunk) => copy.write(chunk), connector, file, context);
    return isFullCopy ? await task(copy.file) : null;
  } finally {
    await copy.discard().catch(() => undefined);
  }
}

async function copyInto(
  write: (chunk: Uint8Array) => Promise<void>,
  connector: Connector,
  { path, bytes, sha256 }: DeliveredFile,
  { signal, heartbeat }: Pick<NodeContext, 'signal' | 'heartbeat'>,
): Promise<boolean> {
  try {
    if ((await connector.stat(path))?.bytes !== bytes) return false;
    const actualSha256 = await computeSha256(connector, path, signal, (chunk) => {
      heartbeat();
      return write(chunk);
    });
    return actualSha256 === sha256;
  } catch (error) {
    signal.throwIfAborted();
    // The error is ignored, because the file is then downloaded. A broken destination reports its error at that point.
    if (!(error instanceof ConnectorError)) throw error;
    return false;
  }
}
