// Inspects a downloaded model before it is renamed: a GLB must be complete with its JSON, a USDZ must contain a USD
// file, and a source must have the hash of the upload, if that is known.
import { open } from 'node:fs/promises';
import { type ByteSource, fileSource } from '../../../glb/byte-source.ts';
import { readGlbContainer } from '../../../glb/container.ts';
import { parseGltfJson } from '../../../glb/gltf-json.ts';
import { RejectedModelError, Warnings } from '../../../glb/model-inspection.ts';
import { checkOtherFormat } from '../../../glb/other-formats.ts';
import { readZipDirectory } from '../../../glb/zip-directory.ts';
import { deliveryFailures } from '../failures.ts';
import type { ModelOutput } from '../model-output.ts';
import { OutputError } from '../outputs/output-error.ts';

/** @throws OutputError OUTPUT_UNREADABLE, MODEL_FILE_OTHER */
export async function inspectDeliveredModel(
  file: string,
  sha256: string,
  output: ModelOutput,
): Promise<{ width: number; height: number }> {
  if (output.sha256 !== undefined) {
    if (output.sha256 === sha256) return noPicture;
    const problem = `has the hash ${sha256}, where a file with ${output.sha256} was uploaded`;
    throw new OutputError(deliveryFailures.MODEL_FILE_OTHER, output, problem);
  }
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    await check(fileSource(handle, size), output.fileType.toLowerCase());
    return noPicture;
  } catch (error) {
    if (!(error instanceof RejectedModelError)) throw error;
    throw new OutputError(deliveryFailures.OUTPUT_UNREADABLE, output, error.message);
  } finally {
    await handle.close();
  }
}

const noPicture = { width: 0, height: 0 };

async function check(source: ByteSource, type: string): Promise<void> {
  if (source.size === 0) throw new RejectedModelError('container', 'EMPTY_FILE', 'is empty');
  if (type === 'glb') {
    const warnings = new Warnings();
    parseGltfJson((await readGlbContainer(source, warnings)).json, warnings);
  } else if (type === 'usdz') {
    const names = await readZipDirectory(source);
    if (names.some((name) => /\.usd[ac]?$/i.test(name))) return;
    throw new RejectedModelError('container', 'NOT_A_ZIP', 'is an archive without any USD file');
  } else {
    await checkOtherFormat(source, type);
  }
}
