// Inspects the pictures of a decal or a material before anything is created: an item whose file is refused, or is never
// uploaded, would remain on the platform.
import type { Connector, Entry } from '../../connectors/connector.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import {
  assertSameSetVersion,
  assertSameVersion,
  sourceFault,
} from '../../engine/uploads/source-file.ts';
import { fileTypeOf } from '../../engine/uploads/upload-names.ts';
import { type FailureReason, fail } from '../../failures/fail.ts';
import { inspectionFailures } from '../../failures/files.ts';
import type { AssetSource, StepAsset } from '../../plan/types.ts';
import { setPaths } from '../../store/records/source-set.ts';
import type { FileFindings } from '../models/ingest.ts';
import { libraryFailures } from './failures.ts';
import { isPicture, pictureHeadBytes } from './picture-head.ts';

export async function inspectPictures(
  { key, source }: StepAsset,
  connectorName: string,
  context: NodeContext,
): Promise<FileFindings> {
  context.heartbeat();
  const connector = context.connectorNamed(connectorName);
  const fault = await findPictureFault(source, connector, context.signal);
  const refused = fault && fail(fault.failure, key, fault.message);
  return { key, refused, cellFailures: [], warnings: [] };
}

/** Why the pictures are refused; null if they are fine. */
export async function findPictureFault(
  source: AssetSource,
  connector: Connector,
  signal: AbortSignal,
): Promise<FailureReason | null> {
  if (source.bytes === 0) {
    return { failure: inspectionFailures.EMPTY_FILE, message: `"${source.path}" has no bytes` };
  }
  const entries: Record<string, Entry> = {};
  const files = source.set ? setPaths(source, source.set) : [['file', source.path] as const];
  try {
    for (const [what, path] of files) {
      const { entry, bytes } = await connector.readPart(path, 0, pictureHeadBytes, signal);
      entries[what] = entry;
      if (!isPicture(bytes, fileTypeOf(path) ?? '')) {
        return { failure: libraryFailures.NOT_A_PICTURE, message: `"${path}" is no picture` };
      }
    }
    if (source.set) assertSameSetVersion(source, entries);
    else for (const entry of Object.values(entries)) assertSameVersion(source, entry);
    return null;
  } catch (error) {
    const fault = sourceFault(error);
    if (!fault) throw error;
    return fault;
  }
}
