// Uploads one file to its signed address, and turns errors about the file into a failure of its asset.
import { contentTypeOf } from '../../api/content-types.ts';
import { findRefusal, itemReasons } from '../../api/errors/refusal.ts';
import { putFile } from '../../api/upload.ts';
import type { Connector, Entry } from '../../connectors/connector.ts';
import { fail, failRefused } from '../../failures/fail.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import type { TransferredFiles } from '../../store/runs/transferred-files.ts';
import { assertPastConsistencyWindow, type ConsistencyContext } from '../consistency-window.ts';
import type { NodeContext } from '../node-context.ts';
import { assertSameVersion, findSourceProblem } from './source-file.ts';
import { findFileType } from './upload-names.ts';

export interface UploadDestination {
  url: string;
  connectorName: string;
  /** Set if the platform's storage requires a specific content type. */
  contentType?: string | undefined;
}

/** The platform record that the file belongs to, and the uploaded files of the call that created the record. */
export interface RecordProgress {
  id: string;
  uploadedFiles: TransferredFiles;
}

/** True if an earlier attempt has uploaded the file to this record. If so, also restores the hash of the source. */
export function isFileUploaded(
  { key, source }: StepAsset,
  { id, uploadedFiles }: RecordProgress,
  { store }: Pick<NodeContext, 'store'>,
): boolean {
  const uploadedFile = uploadedFiles.get(id);
  if (uploadedFile !== undefined) store.sourceHashes.set(key, source.version, uploadedFile.sha256);
  return uploadedFile !== undefined;
}

/** Uploads a file. Returns null, or a failure if the error is about the file. Throws any other error. */
export async function uploadFile(
  asset: StepAsset,
  target: UploadDestination,
  { id, uploadedFiles }: RecordProgress,
  context: NodeContext,
): Promise<AssetResult | null> {
  const { source, key } = asset;
  const connector = context.getConnector(target.connectorName);
  const checkVersion = (entry: Entry) => assertSameVersion(source, entry);
  return failOnSourceProblem(key, connector, async () => {
    const sha256 = await sendSourceFile(source.path, target, checkVersion, context);
    context.store.sourceHashes.set(key, source.version, sha256);
    await uploadedFiles.add(id, { bytes: source.bytes, sha256 });
    return null;
  });
}

/** Turns an error about the asset's file into a failure of the asset. Rethrows any other error. */
export async function failOnSourceProblem(
  key: string,
  connector: Connector,
  task: () => Promise<AssetResult | null>,
): Promise<AssetResult | null> {
  try {
    return await task();
  } catch (error) {
    const problem = await findSourceProblem(error, connector);
    if (!problem) throw error;
    return fail(problem.failure, key, problem.message);
  }
}

/**
 * Turns a refusal (too large, missing, not an image) into a failure of this asset, so that the other assets continue.
 * @throws NotVisibleYetError if the platform does not show the created record and the consistency window is still open
 */
export async function failOnRefusal(
  {
    key,
    platformIds,
    context,
  }: { key: string; platformIds: PlatformIds; context: ConsistencyContext },
  task: () => Promise<AssetResult>,
): Promise<AssetResult> {
  try {
    return await task();
  } catch (error) {
    const refusal = findRefusal(error, itemReasons);
    if (refusal === null) throw error;
    if (refusal.blames === 'missing')
      assertPastConsistencyWindow(refusal.error.message, platformIds, context);
    return failRefused(refusal.error, key);
  }
}

/** Uploads one file and returns its sha256 (hex). `checkVersion` throws if the opened version is not the listed one. */
export async function sendSourceFile(
  path: string,
  target: UploadDestination,
  checkVersion: (entry: Entry) => void,
  context: NodeContext,
): Promise<string> {
  const connector = context.getConnector(target.connectorName);
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
      contentType: target.contentType ?? contentTypeOf(findFileType(path) ?? ''),
      signal: context.signal,
      onProgress: () => context.heartbeat(),
    });
    return sha256;
  } finally {
    await file.close();
  }
}
