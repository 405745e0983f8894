// Sends one file to its signed address and says what went wrong in the asset's own words.
import { contentTypeOf } from '../../api/content-types.ts';
import { contentOrMissing, refusalOf } from '../../api/refusal.ts';
import { putFile } from '../../api/upload.ts';
import type { Entry } from '../../connectors/connector.ts';
import { fail, failRefused } from '../../failures/fail.ts';
import type { Refs } from '../../plan/refs.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import type { MovedFiles } from '../../store/runs/moved-files.ts';
import type { NodeContext } from '../node-context.ts';
import { type ConsistencyContext, mustBeOld } from '../visibility.ts';
import { mustBe, sourceFault } from './source-file.ts';
import { fileTypeOf } from './upload-names.ts';

/** Where a file goes. */
export interface Target {
  url: string;
  connectorName: string;
  /** Where the platform says which one its storage takes. */
  contentType?: string | undefined;
}

/** The record of the platform that a file is for, and what of its call is up. */
export interface Going {
  id: string;
  moved: MovedFiles;
}

/** True where an earlier attempt has sent the file to this record. */
export function isUp(
  { key, source }: StepAsset,
  { id, moved }: Going,
  { store }: Pick<NodeContext, 'store'>,
): boolean {
  const before = moved.get(id);
  if (before !== undefined) store.sourceHashes.note(key, source.version, before.sha256);
  return before !== undefined;
}

/** Null when the file is up, a failure when the file itself is the reason; anything else throws. */
export async function uploadFile(
  asset: StepAsset,
  target: Target,
  { id, moved }: Going,
  context: NodeContext,
): Promise<AssetResult | null> {
  const { source, key } = asset;
  const isMeant = (entry: Entry) => mustBe(source, entry);
  return unlessItsOwn(key, async () => {
    const sha256 = await sendFile(source.path, target, isMeant, context);
    context.store.sourceHashes.note(key, source.version, sha256);
    await moved.add(id, { bytes: source.bytes, sha256 });
    return null;
  });
}

/** Turns a trouble that is the asset's own into its failure; all others go on. */
export async function unlessItsOwn(
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
 * A file that is too large, not there or no picture is this asset's trouble, not the group's.
 * @throws NotVisibleYetError where its record may just not show yet
 */
export async function unlessRefused(
  { key, made, context }: { key: string; made: Refs; context: ConsistencyContext },
  work: () => Promise<AssetResult>,
): Promise<AssetResult> {
  try {
    return await work();
  } catch (error) {
    const refusal = refusalOf(error, contentOrMissing);
    if (refusal === null) throw error;
    if (refusal.blames === 'missing') mustBeOld(refusal.error.message, made, context);
    return failRefused(refusal.error, key);
  }
}

/** Sends one file and answers its sha256 (hex). `isMeant` throws for a version that is not the one listed. */
export async function sendFile(
  path: string,
  target: Target,
  isMeant: (entry: Entry) => void,
  context: NodeContext,
): Promise<string> {
  const connector = context.connectorNamed(target.connectorName);
  const file = await connector.open(path, context.signal);
  try {
    isMeant(file.entry);
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
