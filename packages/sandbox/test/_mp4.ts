// Reads metadata of an MP4 file (ISO 14496-12) box by box.

export interface Mp4 {
  readonly brand: string;
  readonly codec: string;
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly frames: number;
}

/** The content of the first box at this path. @throws Error if there is no such box */
function box(bytes: Buffer, ...path: string[]): Buffer {
  const [wanted, ...rest] = path;
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    const content = bytes.subarray(at + 8, at + size);
    if (bytes.toString('latin1', at + 4, at + 8) === wanted) {
      return rest.length === 0 ? content : box(content, ...rest);
    }
    if (size < 8) break;
    at += size;
  }
  throw new Error(`There is no box ${wanted}.`);
}

export function readMp4(bytes: Buffer): Mp4 {
  const header = box(bytes, 'moov', 'mvhd');
  const long = header[0] === 1;
  const scale = header.readUInt32BE(long ? 20 : 12);
  const duration = long ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16);
  const track = box(bytes, 'moov', 'trak', 'tkhd');
  const samples = ['moov', 'trak', 'mdia', 'minf', 'stbl'];
  return {
    brand: box(bytes, 'ftyp').toString('latin1', 0, 4),
    codec: box(bytes, ...samples, 'stsd').toString('latin1', 12, 16),
    width: track.readUInt32BE(track.length - 8) / 65536,
    height: track.readUInt32BE(track.length - 4) / 65536,
    seconds: duration / scale,
    frames: box(bytes, ...samples, 'stsz').readUInt32BE(8),
  };
}
