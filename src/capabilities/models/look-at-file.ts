// A look at a file before it is uploaded, by one rule for `plan`, for a choice of assets and for the run.
import { posix } from 'node:path';
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { assetFailures } from '../../failures/assets.ts';
import type { Fault } from '../../failures/fail.ts';
import { fileFailures } from '../../failures/files.ts';
import { type Look, lookAtSource } from '../../glb/look.ts';
import type { ReadBeside } from '../../glb/side-files.ts';
import { sourceBytes, sourceFault } from '../../machinery/uploads/source-file.ts';
import { fileTypeOf } from '../../machinery/uploads/upload-names.ts';
import type { AssetSource } from '../../plan/types.ts';
import { modelFailures } from './failures.ts';

/** Libraries of materials have a few kilobytes. */
const besideBytes = 256 * 1024;

/** The look at a file that may go up, or why the run refuses it. */
export type Inspection = { look: Look; fault: null } | { look: null; fault: Fault };

/** @throws what is not the file's own fault, such as a store that does not answer */
export async function inspectFile(
  source: AssetSource,
  connector: Connector,
  signal: AbortSignal,
): Promise<Inspection> {
  const fileType = fileTypeOf(source.path);
  if (fileType === null) {
    const message = `"${source.path}" needs an extension of 1 to 8 letters or digits`;
    return { look: null, fault: { failure: modelFailures.NO_FILE_TYPE, message } };
  }
  try {
    const bytes = sourceBytes(source, connector, signal);
    const look = await lookAtSource(bytes, fileType, besideOf(source, connector, signal));
    if (look.verdict !== 'reject') return { look, fault: null };
    const failure = look.code === null ? assetFailures.REFUSED : fileFailures[look.code];
    return { look: null, fault: { failure, message: look.message } };
  } catch (error) {
    const fault = sourceFault(error);
    if (fault === null) throw error;
    return { look: null, fault };
  }
}

/** Reads what a model names. A file that cannot be read is only not known: the model is uploaded without it in any case. */
function besideOf(source: AssetSource, connector: Connector, signal: AbortSignal): ReadBeside {
  return async (name) => {
    const path = posix.join(posix.dirname(source.path), name);
    if (path.startsWith('..') || path.startsWith('/')) return null;
    try {
      return (await connector.readPart(path, 0, besideBytes, signal)).bytes;
    } catch (error) {
      if (error instanceof ConnectorError) return null;
      throw error;
    }
  };
}

/** True for a file that the run would refuse. Sets are not looked at: their files are pictures. */
export async function isBroken(
  source: AssetSource,
  connector: Connector,
  signal: AbortSignal,
): Promise<boolean> {
  if (source.set !== undefined) return false;
  return (await inspectFile(source, connector, signal)).fault !== null;
}
