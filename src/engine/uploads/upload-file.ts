// Uploads one file to its signed address, and turns errors of the file into the asset's failure.
import { contentTypeOf } from '../../api/content-types.ts';
import { contentOrMissing, refusalOf } from '../../api/errors/refusal.ts';
import { putFile } from '../../api/upload.ts';
import type { Entry } from '../../connectors/connector.ts';
import { fail, failRefused } from '../../failures/fail.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import type { TransferredFiles } from '../../store/runs/transferred-files.ts';
import { assertPastConsistencyWindow, type ConsistencyContext } from '../consistency-window.ts';
import type { NodeContext } from '../node-context.ts';
import { assertSameVersion, sourceFault } from './source-file.ts';
import { fileTypeOf } from './upload-names.ts';

export interface UploadDestination {
  url: string;
  connectorName: string;
  /** Set if the platform's storage requires a certain content type. */
  contentType?: string | undefined;
}

/** The platform record that a file is for, and the uploaded files of its call. */
export interface RecordProgress {
  id: string;
  moved: TransferredFiles;
}

/** True if an earlier attempt has uploaded the file to this record. */
export function isUploaded(
  { key, source }: StepAsset,
  { id, moved }: RecordProgress,
  { store }: Pick<NodeContext, 'store'>,
): boolean {
  const before = moved.get(id);
  if (before !== undefined) store.sourceHashes.set(key, source.version, before.sha256);
  return before !== undefined;
}

/** Null if the file is uploaded; a failure if the file itself is at fault. Throws any other error. */
export async function uploadFile(
  asset: StepAsset,
  target: UploadDestination,
  { id, moved }: RecordProgress,
  context: NodeContext,
): Promise<AssetResult | null> {
  const { source, key } = asset;
  const checkVersion = (entry: Entry) => assertSameVersion(source, entry);
  return failOnSourceFault(key, async () => {
    const sha256 = await sendFile(source.path, target, checkVersion, context);
    context.store.sourceHashes.set(key, source.version, sha256);
    await moved.add(id, { bytes: source.bytes, sha256 });
    return null;
  });
}

/** Turns an error of the asset's own file into its failure; rethrows any other error. */
export async function failOnSourceFault(
  key: string,
  work: () => Promise<AssetResult | null>,
): Promise<AssetResult | null> {
  try {
    return await work();
  } catch (error) {
    const fault = sourceFault(error);
    if (!fault) throw error;
    return fail(fault.failure, key, fault.message);
  }
}

/**
 * Turns a refusal (too large, missing, not an image) into the failure of this asset, so that the group goes on.
 * @throws NotVisibleYetError if its record may just not be visible yet
 */
export async function failOnRefusal(
  { key, made, context }: { key: string; made: PlatformIds; context: ConsistencyContext },
  work: () => Promise<AssetResult>,
): Promise<AssetResult> {
  try {
    return await work();
  } catch (error) {
    const refusal = refusalOf(error, contentOrMissing);
    if (refusal === null) throw error;
    if (refusal.blames === 'missing')
      assertPastConsistencyWindow(refusal.error.message, made, context);
    return failRefused(refusal.error, key);
  }
}

/** Uploads one file and returns its sha256 (hex). `checkVersion` throws if the opened version is not the listed one. */
export async function sendFile(
  path: string,
  target: UploadDestination,
  checkVersion: (entry: Entry) => void,
  context: NodeContext,
): Promise<string> {
  const connector = context.connectorNamed(target.connectorName);
  const file = await connector.open(path, context.signal);
  try {
    checkVersion(file.entry);
    const { sha256 } = await putFile({
      url: target.url,
      source: {
        name: path,
        bytes: file.entry.bytes,
        content: () => file.content(),
        isUnchanged: () => file.isUnchanged(),
      },
      network: context.client.network,
      contentType: target.contentType ?? contentTypeOf(fileTypeOf(path) ?? ''),
      signal: context.signal,
      onProgress: () => context.heartbeat(),
    });
    return sha256;
  } finally {
    await file.close();
  }
}
