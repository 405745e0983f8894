// The USDZ derivative of a GLB. The package is valid, but its stage contains only the model's name and hash and no
// geometry, because the sandbox does not convert models.
import { zipSync } from 'fflate';
import type { Sandbox } from '../context/sandbox.ts';
import type { ServedFile } from '../context/storage-location.ts';
import type { ModelRecord } from '../state/records.ts';
import { usdzKeyOf } from '../status/models.ts';

/** Pads the zip header to 64 bytes, because file contents in a USDZ must start at multiples of this offset. */
const padding = { 0x1986: new Uint8Array(20) };

/** Returns the derivative of a model, written again for each request, or undefined if the model has no file. */
export async function convertToUsdz(
  { files }: Sandbox,
  model: ModelRecord,
): Promise<ServedFile | undefined> {
  if (!model.file) return undefined;
  const usdz = packUsdz(model.name, model.file.sha256);
  const key = usdzKeyOf(model);
  await files.write(key, [usdz], usdz.length, usdz.length);
  return { path: files.path(key), bytes: usdz.length };
}

function packUsdz(name: string, sourceSha256: string): Uint8Array {
  const layer = Buffer.from(`#usda 1.0
(
    customLayerData = {
        string model = ${JSON.stringify(name)}
        string source = "${sourceSha256}"
    }
    defaultPrim = "Model"
    metersPerUnit = 1
    upAxis = "Y"
)

def Xform "Model" (
    kind = "component"
)
{
}
`);
  // The time is the earliest date of the zip format, so that the same model always results in the same bytes.
  const options = { level: 0, mtime: new Date(1980, 0, 1), extra: padding } as const;
  return zipSync({ 'model.usda': [layer, options] });
}
