// A bitmap font with letters five cells wide, so that pictures can contain text on machines without fonts.

/** Glyphs from space to tilde; nine rows each, a row being one base-32 digit of five bits. */
const glyphs = [
  '000000000 444440400 aaa000000 aavavaa00 4fke5u400 pp248jj00 cik8lid00 448000000',
  '248884200 842224800 04lel4000 044v44000 00000c480 000v00000 00000cc00 11248gg00',
  'ehjlphe00 4c4444e00 eh1248v00 u11e11u00 26aiv2200 vgu11he00 68guhhe00 v12244400',
  'ehhehhe00 ehhf12c00 0cc0cc000 0cc00c480 248g84200 00v0v0000 842124800 eh1240400',
  'ehnlnge00 ehhvhhh00 uhhuhhu00 ehggghe00 uhhhhhu00 vgguggv00 vgguggg00 ehgnhhf00',
  'hhhvhhh00 e44444e00 72222ic00 hikokih00 ggggggv00 hrllhhh00 hppljjh00 ehhhhhe00',
  'uhhuggg00 ehhhlid00 uhhukih00 fgge11u00 v44444400 hhhhhhe00 hhhaaa400 hhhllrh00',
  'hha4ahh00 hha444400 v1248gv00 e88888e00 gg8421100 e22222e00 4ah000000 0000000v0',
  '840000000 00e1fhf00 gguhhhu00 00fgggf00 11fhhhf00 00ehvgf00 68u888800 00fhhhf1e',
  'gguhhhh00 40c444e00 2062222ic ggikoki00 c44444e00 00qllll00 00uhhhh00 00ehhhe00',
  '00uhhhugg 00fhhhf11 00noggg00 00fge1u00 88u888700 00hhhhf00 00hhaa400 00hllla00',
  '00ha4ah00 00hhhhf1e 00v248v00 344844300 444444400 o44244o00 008l20000',
]
  .join(' ')
  .split(' ');

const missing = 'vhhhhhv00';
const glyphWidth = 5;
const advance = 6;

/** Rows from the top of a capital to the end of a descender; capitals take the first seven. */
export const lineRows = 9;

export type TextMask = {
  readonly width: number;
  readonly height: number;
  /** 1 where the glyph has ink. */
  readonly ink: Uint8Array;
};

function glyphRows(character: string): string {
  return glyphs[(character.codePointAt(0) ?? 0) - 32] ?? missing;
}

// Accents are dropped, the base letter stays.
function drawable(text: string): readonly string[] {
  return Array.from(text.normalize('NFD').replace(/\p{Mark}/gu, ''));
}

/** Width of a line of text at a scale, in pixels. */
export function textWidth(text: string, scale: number): number {
  return Math.max(0, drawable(text).length * advance - 1) * scale;
}

/** Shortens text in the middle until it fits, since names differ most at their ends. */
export function fitText(text: string, scale: number, maxWidth: number): string {
  const characters = Array.from(text);
  const fits = Math.floor((maxWidth / scale + 1) / advance);
  if (characters.length <= fits) return text;
  if (fits <= 3) return characters.slice(0, Math.max(0, fits)).join('');
  const head = Math.ceil((fits - 2) / 2);
  const tail = fits - 2 - head;
  return `${characters.slice(0, head).join('')}..${tail > 0 ? characters.slice(-tail).join('') : ''}`;
}

/** Draws one line of text; each cell of a glyph becomes scale x scale pixels. */
export function drawText(text: string, scale: number): TextMask {
  const characters = drawable(text);
  const width = Math.max(1, textWidth(text, scale));
  const height = lineRows * scale;
  const ink = new Uint8Array(width * height);
  characters.forEach((character, index) => {
    const rows = glyphRows(character);
    for (let row = 0; row < lineRows; row += 1) {
      const bits = Number.parseInt(rows[row] ?? '0', 32);
      for (let column = 0; column < glyphWidth; column += 1) {
        if ((bits & (1 << (glyphWidth - 1 - column))) === 0) continue;
        const left = (index * advance + column) * scale;
        for (let y = row * scale; y < (row + 1) * scale; y += 1) {
          ink.fill(1, y * width + left, y * width + left + scale);
        }
      }
    }
  });
  return { width, height, ink };
}
