// Recognizes the real format of a file by its first bytes, for files with a wrong extension.

interface Format {
  /** Completes the sentence "It is …". */
  readonly name: string;
  readonly fix: string;
  /** First bytes as latin1. White space before them is ignored. */
  readonly begins: string | RegExp;
}

const unpack = 'unpack it and use the model inside';
const replace = 'replace it with the model';

/** The known formats. The first match is used. */
const formats: readonly Format[] = [
  { name: 'gzip', fix: 'unpack it', begins: '\x1f\x8b' },
  {
    name: 'a USDZ package',
    fix: 'rename it to .usdz',
    begins: /^PK[^]{28}[^]{0,300}?\.usd[ac]?/,
  },
  { name: 'a zip archive', fix: unpack, begins: 'PK\x03\x04' },
  { name: 'an empty zip archive', fix: replace, begins: 'PK\x05\x06' },
  { name: 'a 7z archive', fix: unpack, begins: "7z\xbc\xaf'\x1c" },
  { name: 'a RAR archive', fix: unpack, begins: 'Rar!' },
  { name: 'xz', fix: unpack, begins: '\xfd7zXZ' },
  { name: 'bzip2', fix: unpack, begins: /^BZh[1-9]1AY&SY/ },
  { name: 'Zstandard', fix: unpack, begins: '\x28\xb5\x2f\xfd' },
  { name: 'a tar archive', fix: unpack, begins: /^[^]{257}ustar/ },
  { name: 'binary glTF', fix: 'rename it to .glb', begins: 'glTF' },
  { name: 'an FBX', fix: 'rename it to .fbx', begins: /^Kaydara FBX Binary|^; FBX / },
  { name: 'a USD crate', fix: 'rename it to .usdc', begins: 'PXR-USDC' },
  { name: 'USD as text', fix: 'rename it to .usda', begins: '#usda ' },
  { name: 'a Blender file', fix: 'export it from Blender', begins: 'BLENDER' },
  { name: 'a PLY', fix: 'rename it to .ply', begins: /^ply\r?\n/ },
  { name: 'an STL', fix: 'rename it to .stl', begins: /^solid [^]*\bfacet normal/ },
  {
    name: 'a Git LFS pointer',
    fix: 'fetch the model with git lfs pull',
    begins: 'version https://git-lfs',
  },
  {
    name: 'a COLLADA file',
    fix: 'rename it to .dae',
    begins: /^<[^]{0,300}<COLLADA|^<COLLADA/,
  },
  {
    name: 'a web page',
    fix: 'download the model itself',
    begins: /^<(!doctype html|html|head|body)/i,
  },
  { name: 'XML', fix: replace, begins: '<?xml' },
  { name: 'a PNG picture', fix: replace, begins: '\x89PNG' },
  { name: 'a JPEG picture', fix: replace, begins: '\xff\xd8\xff' },
  { name: 'a PDF', fix: replace, begins: '%PDF-' },
  {
    name: 'an OBJ',
    fix: 'rename it to .obj',
    begins: /^(#[^\n]*\n|\s)*(mtllib|o|g|v) \S/,
  },
  { name: 'text in UTF-16', fix: 'save it as UTF-8', begins: '\xff\xfe' },
  { name: 'text in UTF-16', fix: 'save it as UTF-8', begins: '\xfe\xff' },
];

/** Returns "it is gzip; unpack it." for a known format, otherwise the text `otherwise`. */
export function formatHint(head: Uint8Array, otherwise: string): string {
  const text = Buffer.from(head).toString('latin1').replace(/^ï»¿/, '');
  const isAt = (begins: string | RegExp, content: string) =>
    typeof begins === 'string' ? content.startsWith(begins) : begins.test(content);
  const format = formats.find(({ begins }) => isAt(begins, text) || isAt(begins, text.trimStart()));
  return format === undefined ? otherwise : `it is ${format.name}; ${format.fix}.`;
}
