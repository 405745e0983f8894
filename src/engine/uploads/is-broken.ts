// A look at a file before its asset is begun, for whoever has a choice of assets.
import type { Connector } from '../../connectors/connector.ts';
import { lookAtSource } from '../../glb/look.ts';
import type { AssetSource } from '../../plan/types.ts';
import { sourceBytes, sourceFailure } from './source-file.ts';
import { fileTypeOf } from './upload-names.ts';

/** Whether the run would refuse the file. Of a set nothing is said: its files are pictures. */
export async function isBroken(
  source: AssetSource,
  connector: Connector,
  signal: AbortSignal,
): Promise<boolean> {
  if (source.set !== undefined) return false;
  try {
    const bytes = sourceBytes(source, connector, signal);
    const { verdict } = await lookAtSource(bytes, fileTypeOf(source.path) ?? '');
    return verdict === 'reject';
  } catch (error) {
    if (sourceFailure(error) === null) throw error;
    return true;
  }
}
