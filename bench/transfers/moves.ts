// Uploads and downloads large files with the engine's own code, but without a worker.
import { putFile } from '../../src/api/upload.ts';
import type { Connector } from '../../src/connectors/connector.ts';
import { openSourceBytes } from '../../src/engine/uploads/source-file.ts';
import { inspectPicture } from '../../src/features/delivery/inspect-output.ts';
import { fetchFile } from '../../src/features/delivery/outputs/fetch-with-retry.ts';
import { inspectSource } from '../../src/glb/inspect-model.ts';
import { sourceOf } from '../../src/store/records/source-version.ts';

const network = 'any';
const signal = new AbortController().signal;
const maxPixels = 200_000_000;

/** Inspects a file of the connector and uploads it to a signed URL. @returns the number of bytes */
export async function uploadSources(
  connector: Connector,
  path: string,
  url: string,
): Promise<number> {
  const entry = await connector.stat(path);
  if (entry === null) throw new Error(`${path} is not there`);
  const look = await inspectSource(openSourceBytes(sourceOf(entry), connector, signal), 'glb');
  if (look.verdict === 'reject') throw new Error(look.message);
  const file = await connector.open(path, signal);
  try {
    const { bytes } = await putFile({
      url,
      source: {
        name: path,
        bytes: file.entry.bytes,
        content: () => file.content(),
        isUnchanged: () => file.isUnchanged(),
      },
      network,
      contentType: 'model/gltf-binary',
      signal,
    });
    return bytes;
  } finally {
    await file.close();
  }
}

/** Downloads a TIFF to the connector and inspects it. @returns the number of bytes */
export async function downloadResults(
  connector: Connector,
  path: string,
  url: string,
): Promise<number> {
  const output = { id: path, name: path, fileType: 'TIFF', isVideo: false, isPreview: false };
  const rules = { notBlank: true, maxPixels };
  const came = await fetchFile(
    {
      key: path,
      path,
      connector,
      metadata: null,
      inspect: (file) => inspectPicture(file, output, rules),
      compare: async () => null,
    },
    url,
    {
      client: { network },
      signal,
      heartbeat: () => undefined,
      assertLease: () => Promise.resolve(),
    },
  );
  if ('error' in came) throw came.error;
  return came.bytes;
}
