// Photoshop's image resources in a JPEG: replaces the resource with IPTC-IIM, and keeps all others.
import { createHash } from 'node:crypto';
import { PictureError } from '../picture-error.ts';

const signature = '8BIM';
const [iimId, iimDigestId] = [0x0404, 0x0425];
/** Signature, id and length of the name. */
const minHeadBytes = 7;

/**
 * @param resources the joined resources of all segments of the picture
 * @returns the resources in the order in which they are written; empty if none is left
 */
export function replaceIim(resources: Buffer, iim: Buffer | null): Buffer {
  const others = readResources(resources).filter(({ id }) => id !== iimId && id !== iimDigestId);
  // Programs compare this digest with the IPTC-IIM: if they match, XMP and IPTC-IIM count as equal.
  const digest = iim && createHash('md5').update(iim).digest();
  return Buffer.concat([
    ...(iim && digest ? [createResource(iimId, iim), createResource(iimDigestId, digest)] : []),
    ...others.map(({ from, to }) => resources.subarray(from, to)),
  ]);
}

function readResources(bytes: Buffer): { id: number; from: number; to: number }[] {
  const found: { id: number; from: number; to: number }[] = [];
  let from = 0;
  while (bytes.toString('latin1', from, from + 4) === signature) {
    if (from + minHeadBytes > bytes.length) throw damaged();
    const nameBytes = even(1 + (bytes[from + 6] ?? 0));
    const sizeAt = from + 6 + nameBytes;
    if (sizeAt + 4 > bytes.length) throw damaged();
    const contentAt = sizeAt + 4;
    const length = bytes.readUInt32BE(sizeAt);
    if (contentAt + length > bytes.length) throw damaged();
    const to = Math.min(bytes.length, contentAt + even(length));
    found.push({ id: bytes.readUInt16BE(from + 4), from, to });
    from = to;
  }
  // Only padding may follow the last resource.
  if (bytes.subarray(from).some((byte) => byte !== 0)) throw damaged();
  return found;
}

function createResource(id: number, content: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.write(signature, 'latin1');
  head.writeUInt16BE(id, 4);
  head.writeUInt32BE(content.length, 8);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

const even = (length: number) => length + (length % 2);

function damaged(): PictureError {
  return new PictureError('DAMAGED', 'has blocks of Photoshop that break off');
}
