// A look at a file without taking it up: before a plan, or where there is a choice of assets.
import type { Connector } from '../../connectors/connector.ts';
import { type Look, lookAtSource } from '../../glb/look.ts';
import { sourceBytes, sourceFault } from '../../machinery/uploads/source-file.ts';
import { fileTypeOf } from '../../machinery/uploads/upload-names.ts';
import type { AssetSource } from '../../plan/types.ts';

/** null where the file itself is the reason that it cannot be read. */
export async function lookAtFile(
  source: AssetSource,
  connector: Connector,
  signal: AbortSignal,
): Promise<Look | null> {
  try {
    const bytes = sourceBytes(source, connector, signal);
    return await lookAtSource(bytes, fileTypeOf(source.path) ?? '');
  } catch (error) {
    if (sourceFault(error) === null) throw error;
    return null;
  }
}

/** True for a file that the run would refuse. Sets are not looked at: their files are pictures. */
export async function isBroken(
  source: AssetSource,
  connector: Connector,
  signal: AbortSignal,
): Promise<boolean> {
  if (source.set !== undefined) return false;
  const look = await lookAtFile(source, connector, signal);
  return look === null || look.verdict === 'reject';
}
