// Recognizes pictures by their first bytes. Pure.

const bytesOf = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0));

/** Signatures of the types that the platform accepts for decals and textures. */
const signatures: readonly (readonly number[])[] = [
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

/** Number of bytes that `isPicture` needs. */
export const pictureHeadBytes = 64;

/**
 * True if the bytes begin a picture, even if the extension names another picture type: programs detect the type by
 * content.
 * @param fileType extension in lower case; needed for SVG, which is text
 */
export function isPicture(head: Uint8Array, fileType: string): boolean {
  if (fileType === 'svg') return /^\s*</.test(textOf(head));
  const isWebp = textOf(head.subarray(0, 4)) === 'RIFF' && textOf(head.subarray(8, 12)) === 'WEBP';
  return isWebp || signatures.some((start) => start.every((byte, index) => head[index] === byte));
}

/** Returns only the ASCII characters, without byte order marks and the zeros of UTF-16. */
function textOf(bytes: Uint8Array): string {
  const text = bytes.filter((byte) => byte !== 0 && byte < 0x80);
  return String.fromCharCode(...text);
}
