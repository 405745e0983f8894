// A valid TIFF of any size, generated while it is sent. It is uncompressed with 16 bits per sample, like the
// platform's.

const pixelBytes = 6;
const rowsOfStrip = 64;

export interface LargeTiff {
  width: number;
  height: number;
  bytes: number;
  pieces(): Generator<Buffer>;
}

/** Creates a square picture of about this many bytes. */
export function largeTiff(bytes: number): LargeTiff {
  const width = Math.floor(Math.sqrt(bytes / pixelBytes));
  const height = width;
  const rowBytes = width * pixelBytes;
  const head = headOf(width, height);
  // The row contains several colours, because a picture of a single colour counts as blank. All rows are the same.
  const row = Buffer.alloc(rowBytes, Buffer.from(Array.from({ length: 251 }, (_, index) => index)));
  const strip = Buffer.concat(Array.from({ length: rowsOfStrip }, () => row));
  return {
    width,
    height,
    bytes: head.length + rowBytes * height,
    *pieces() {
      yield head;
      for (let bytesLeft = rowBytes * height; bytesLeft > 0; bytesLeft -= strip.length) {
        yield bytesLeft < strip.length ? strip.subarray(0, bytesLeft) : strip;
      }
    },
  };
}

/** Creates the header, the only directory, and the arrays to which its entries point. */
function headOf(width: number, height: number): Buffer {
  const strips = Math.ceil(height / rowsOfStrip);
  const rowBytes = width * pixelBytes;
  const entries = 10;
  const depthsAt = 8 + 2 + entries * 12 + 4;
  const offsetsAt = depthsAt + 6;
  const countsAt = offsetsAt + 4 * strips;
  const dataAt = countsAt + 4 * strips;
  const head = Buffer.alloc(dataAt);
  head.write('II', 0, 'latin1');
  head.writeUInt16LE(42, 2);
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(entries, 8);
  const [short, long] = [3, 4];
  const rows: [tag: number, type: number, count: number, value: number][] = [
    [256, long, 1, width],
    [257, long, 1, height],
    [258, short, 3, depthsAt],
    [259, short, 1, 1],
    [262, short, 1, 2],
    [273, long, strips, offsetsAt],
    [277, short, 1, 3],
    [278, long, 1, rowsOfStrip],
    [279, long, strips, countsAt],
    [284, short, 1, 1],
  ];
  for (const [index, [tag, type, count, value]] of rows.entries()) {
    const entryAt = 10 + index * 12;
    head.writeUInt16LE(tag, entryAt);
    head.writeUInt16LE(type, entryAt + 2);
    head.writeUInt32LE(count, entryAt + 4);
    head.writeUInt32LE(value, entryAt + 8);
  }
  for (let sample = 0; sample < 3; sample += 1) head.writeUInt16LE(16, depthsAt + 2 * sample);
  for (let strip = 0; strip < strips; strip += 1) {
    const rowsHere = Math.min(rowsOfStrip, height - strip * rowsOfStrip);
    head.writeUInt32LE(dataAt + strip * rowsOfStrip * rowBytes, offsetsAt + 4 * strip);
    head.writeUInt32LE(rowsHere * rowBytes, countsAt + 4 * strip);
  }
  return head;
}
