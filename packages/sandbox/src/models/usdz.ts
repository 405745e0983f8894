// The USDZ derivative of a GLB. The package is valid, but its stage has only the model's name and hash, no geometry,
// since the sandbox does not convert models.
import { crc32 } from 'node:zlib';
import type { Sandbox } from '../context/sandbox.ts';
import type { FoundFile } from '../context/storage-location.ts';
import type { ModelRecord } from '../state/records.ts';
import { usdzKey } from '../status/models.ts';

/** The contents of files in a USDZ must start at multiples of this offset. */
const alignment = 64;
const localBytes = 30;
const centralBytes = 46;
const endBytes = 22;
/** 1980-01-01, the earliest date of the zip format. */
const noDate = 0x21;

/** The derivative of a model, written again for each request; undefined if the model has no file. */
export async function convertToUsdz(
  { files }: Sandbox,
  model: ModelRecord,
): Promise<FoundFile | undefined> {
  if (!model.file) return undefined;
  const usdz = packUsdz(model.name, model.file.sha256);
  const key = usdzKey(model);
  await files.write(key, [usdz], usdz.length, usdz.length);
  return { path: files.path(key), bytes: usdz.length };
}

function packUsdz(name: string, sourceSha256: string): Buffer {
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
  const path = Buffer.from('model.usda');
  const padding = (alignment - ((localBytes + path.length) % alignment)) % alignment;
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(10, 0);
  facts.writeUInt16LE(noDate, 8);
  facts.writeUInt32LE(crc32(layer), 10);
  facts.writeUInt32LE(layer.length, 14);
  facts.writeUInt32LE(layer.length, 18);
  facts.writeUInt16LE(path.length, 22);
  const local = Buffer.alloc(localBytes);
  local.write('PK\x03\x04', 'latin1');
  facts.copy(local, 4);
  local.writeUInt16LE(padding, 28);
  const central = Buffer.alloc(centralBytes);
  central.write('PK\x01\x02', 'latin1');
  central.writeUInt16LE(10, 4);
  facts.copy(central, 6);
  const before = Buffer.concat([local, path, Buffer.alloc(padding), layer]);
  const end = Buffer.alloc(endBytes);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(centralBytes + path.length, 12);
  end.writeUInt32LE(before.length, 16);
  return Buffer.concat([before, central, path, end]);
}
