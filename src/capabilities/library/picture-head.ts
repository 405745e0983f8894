// Tells a picture from other files by its first bytes. Pure.

const bytesOf = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0));

/** By the types that decals and textures may be of. */
const heads: readonly (readonly number[])[] = [
  [0x89, ...bytesOf('PNG\r\n'), 0x1a, 0x0a],
  [0xff, 0xd8, 0xff],
  bytesOf('GIF8'),
  bytesOf('II*\0'),
  bytesOf('MM\0*'),
  // TIFF of more than 4 GB.
  bytesOf('II+\0'),
  bytesOf('MM\0+'),
  // OpenEXR
  [0x76, 0x2f, 0x31, 0x01],
];

/** Bytes that `isPicture` needs of a file. */
export const pictureHeadBytes = 64;

/**
 * A picture under the name of another type is one too: programs go by what is inside. `fileType` in lower case
 * tells drawings, which are text.
 */
export function isPicture(head: Uint8Array, fileType: string): boolean {
  if (fileType === 'svg') return /^\s*</.test(textOf(head));
  const isWebp = textOf(head.subarray(0, 4)) === 'RIFF' && textOf(head.subarray(8, 12)) === 'WEBP';
  return isWebp || heads.some((start) => start.every((byte, index) => head[index] === byte));
}

/** Without byte order marks, and without the zeros of UTF-16. */
function textOf(bytes: Uint8Array): string {
  const text = bytes.filter((byte) => byte !== 0 && byte < 0x80);
  return String.fromCharCode(...text);
}
