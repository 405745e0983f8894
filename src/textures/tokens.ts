// Splits a file name into words: `T_OakPlanks01_BaseColor.2K` → T · Oak · Planks · 01 · Base · Color · 2K.

export interface Token {
  /** Text in lower case, without accents. */
  readonly text: string;
  /** Index of the token in the name. */
  readonly start: number;
  readonly end: number;
  /**
   * True if the token is at the start of the name or after a separator. `isBeforeSeparator`: true if it ends at the
   * end of the name or before a separator.
   */
  readonly isAfterSeparator: boolean;
  readonly isBeforeSeparator: boolean;
  /** The preceding character. Empty at the start. */
  readonly previousChar: string;
  readonly noise?: Noise | undefined;
}

/** Words without meaning for map or material. They rank several files of one map. */
export type Noise =
  | { readonly is: 'resolution'; readonly pixels: number }
  | { readonly is: 'lod' }
  | { readonly is: 'wording' };

/** A run of letters and digits. `u1_v2`, a UDIM tile, is one word. */
const word = /(?<![\p{L}\p{N}])u\d+_v\d+(?![\p{L}\p{N}])|[\p{L}\p{N}\p{M}]+/giu;

/** Tokens that are not split: resolutions, levels of detail, bit depths and colour spaces. */
const wholeToken =
  /^(\d{1,2}k|\d{3,5}x\d{3,5}|\d{3,5}px|lod\d+|\d{1,2}(?:bits?|bpc)|u\d+_?v\d+|srgb|acescg)$/i;

const boundary = new RegExp(
  [
    String.raw`(?<=[\p{Ll}\p{M}])(?=\p{Lu})`,
    String.raw`(?<=\p{Lu})(?=\p{Lu}\p{Ll}\p{Ll})`,
    String.raw`(?<=\p{L})(?=\p{N})`,
    // `007Color` is split, but `034C` and `3d` are not.
    String.raw`(?<=\p{N})(?=\p{L}{3})`,
  ].join('|'),
  'gu',
);

/** Returns the part without accents and in one Unicode form, for comparison. */
function toPlainPart(part: string): string {
  const lower = part.toLowerCase();
  return /^[\da-z]*$/.test(lower) ? lower : lower.normalize('NFKD').replace(/\p{M}/gu, '');
}

export function tokensOf(stem: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: text, index } of stem.matchAll(word)) {
    const parts = wholeToken.test(text) ? [text] : text.split(boundary);
    let start = index;
    for (const part of parts) {
      const end = start + part.length;
      const lower = toPlainPart(part);
      tokens.push({
        text: lower,
        start,
        end,
        isAfterSeparator: start === index,
        previousChar: stem.charAt(start - 1),
        isBeforeSeparator: end === index + text.length,
        noise: findNoise(lower, part.length === text.length, start === index),
      });
      start = end;
    }
  }
  return tokens;
}

const wordings = new Set(
  (
    'jpg jpeg png exr tif tiff tga webp srgb raw linear lin acescg aces rec709 utility ' +
    'rgb noncolor noncolour seamless tileable tiling tiled pbr texture textures tex hires lowres highres'
  ).split(' '),
);

const sides = new Set([128, 256, 512, 1024, 2048, 4096, 8192, 16384]);

/**
 * @param isAlone true if the word stands alone: `TexturesCom` is a name, `oak_textures` is not.
 * @param isAfterSeparator true if a separator precedes the word: `oak_512` is a size, `oak512` a name.
 */
function findNoise(text: string, isAlone: boolean, isAfterSeparator: boolean): Noise | undefined {
  const thousands = /^(\d{1,2})k$/.exec(text)?.[1];
  if (thousands !== undefined) return { is: 'resolution', pixels: Number(thousands) * 1024 };
  const pixels = /^([1-9]\d{2,4})(?:px|x\d{3,5})?$/.exec(text)?.[1];
  if (
    isAfterSeparator &&
    pixels !== undefined &&
    (sides.has(Number(pixels)) || !/^\d+$/.test(text))
  ) {
    return { is: 'resolution', pixels: Number(pixels) };
  }
  if (/^lod\d+$/.test(text)) return { is: 'lod' };
  return (isAlone && wordings.has(text)) || /^\d{1,2}(?:bits?|bpc)$/.test(text)
    ? { is: 'wording' }
    : undefined;
}
