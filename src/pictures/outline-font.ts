// Draws text in pictures as outlines of a shipped font, which works on machines without fonts.
import { createRequire } from 'node:module';
import type { Font } from 'fontkit';

/** Sizes and positions are in pixels. */
export interface TextLine {
  readonly text: string;
  readonly size: number;
  /** Colour as in CSS. */
  readonly color: string;
  /** Left end of the baseline. */
  readonly left: number;
  readonly baseline: number;
}

export class OutlineFont {
  readonly #font: Font;

  private constructor(font: Font) {
    this.#font = font;
  }

  static async load(): Promise<OutlineFont> {
    const { openSync } = await import('fontkit');
    const file = '@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff';
    const font = openSync(createRequire(import.meta.url).resolve(file));
    if (!('layout' in font)) throw new Error(`${file} contains several fonts`);
    return new OutlineFont(font);
  }

  /** Returns the width in pixels. */
  widthOf(text: string, size: number): number {
    return this.#font.layout(text).advanceWidth * this.#scaleOf(size);
  }

  /** Shortens text in the middle, because names differ most at their ends. Empty if no character fits. */
  fit(text: string, size: number, maxWidth: number): string {
    if (this.widthOf(text, size) <= maxWidth) return text;
    const characters = Array.from(text);
    const shorten = (count: number) =>
      `${characters.slice(0, Math.ceil(count / 2)).join('')}…${characters.slice(characters.length - Math.floor(count / 2)).join('')}`;
    let [fits, tooLong] = [0, characters.length];
    while (tooLong - fits > 1) {
      const middle = (fits + tooLong) >> 1;
      if (this.widthOf(shorten(middle), size) <= maxWidth) fits = middle;
      else tooLong = middle;
    }
    return fits === 0 ? '' : shorten(fits);
  }

  /** Returns the line as an SVG element. A character that the font lacks is drawn as a box. */
  toSvg({ text, size, color, left, baseline }: TextLine): string {
    const { glyphs, positions } = this.#font.layout(text);
    const scale = this.#scaleOf(size);
    let advance = 0;
    const outlines = glyphs.map((glyph, index) => {
      const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[index] ?? {};
      const glyphTransform = `translate(${advance + xOffset} ${yOffset})`;
      advance += xAdvance;
      return `<path transform="${glyphTransform}" d="${glyph.path.toSVG()}"/>`;
    });
    const lineTransform = `translate(${left} ${baseline}) scale(${scale} ${-scale})`;
    return `<g fill="${color}" transform="${lineTransform}">${outlines.join('')}</g>`;
  }

  #scaleOf(size: number): number {
    return size / this.#font.unitsPerEm;
  }
}
