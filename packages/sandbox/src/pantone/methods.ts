// Decoration methods: those that the platform lists, with their synonyms, and others.

/** The platform's list, in its spelling. */
export const listedMethods = [
  'Screen print',
  'DTF (direct-to-film)',
  'Embroidery',
  'Sublimation',
  'Heat transfer',
  'Tackle twill',
  'Other',
] as const;

/** `DTF` counts too, since the brackets in `DTF (direct-to-film)` may be only an explanation. */
const spellings = [...listedMethods, 'DTF'];

/** Returns a listed method in its listed spelling, whatever the case, and other text unchanged. */
export function toListedSpelling(method: string): string {
  const lower = method.toLowerCase();
  return spellings.find((spelling) => spelling.toLowerCase() === lower) ?? method;
}

export interface Method {
  /** Plain lower-case name. */
  readonly name: string;
  /** Listed spelling, or the capitalized name if the platform does not list the method. */
  readonly listed: string;
  /** True if the method uses no ink. */
  readonly inkless: boolean;
}

interface MethodWords {
  readonly name: string;
  readonly listed?: (typeof listedMethods)[number];
  readonly inkless?: true;
  /** Words separated by commas. */
  readonly words: string;
}

const table: readonly MethodWords[] = [
  {
    name: 'screen print',
    listed: 'Screen print',
    words:
      'screen, screenprint, silk screen, silkscreen, silk, serigraph, serigraphy, sp, scr, plastisol, puff, discharge',
  },
  {
    name: 'direct to film',
    listed: 'DTF (direct-to-film)',
    words: 'dtf, direct to film, direct film, dtf direct to film',
  },
  { name: 'direct to garment', words: 'dtg, direct to garment' },
  {
    name: 'embroidery',
    listed: 'Embroidery',
    words:
      'embroidery, embroidered, embroider, emb, embr, stitched, stitching, flat embroidery, 3d embroidery, puff embroidery',
  },
  {
    name: 'sublimation',
    listed: 'Sublimation',
    words:
      'sublimation, sublimated, sublimate, sub, subli, dye sub, dye sublimation, dye sublimated, dyesub',
  },
  {
    name: 'heat transfer',
    listed: 'Heat transfer',
    words:
      'heat transfer, transfer, heat press, heat pressed, heat seal, htv, heat transfer vinyl, vinyl, ht',
  },
  {
    name: 'tackle twill',
    listed: 'Tackle twill',
    words: 'tackle twill, twill, tt, applique, twill applique',
  },
  { name: 'other', listed: 'Other', words: 'other' },
  { name: 'pad print', words: 'pad, tampo, tampon, tampography' },
  { name: 'simulated process', words: 'simulated process, sim process, simprocess' },
  { name: 'offset', words: 'offset, offset litho, litho, lithography' },
  { name: 'digital print', words: 'digital, digital direct, inkjet' },
  { name: 'UV print', words: 'uv, uv digital' },
  { name: 'flexography', words: 'flexo, flexography, flexographic' },
  { name: 'gravure', words: 'gravure, rotogravure' },
  { name: 'letterpress', words: 'letterpress' },
  {
    name: 'foil stamp',
    words:
      'foil, foil stamp, foil stamped, foil stamping, hot foil, hot stamp, hot stamping, hot foil stamping',
  },
  {
    name: 'laser engraving',
    inkless: true,
    words:
      'laser, laser engrave, laser engraved, laser engraving, laser etch, laser etched, laser etching, engrave, engraved, engraving, etched, etching, etch',
  },
  { name: 'deboss', inkless: true, words: 'deboss, debossed, debossing, blind deboss' },
  { name: 'emboss', inkless: true, words: 'emboss, embossed, embossing, blind emboss' },
  { name: 'woven label', words: 'woven, woven label, woven patch' },
];

const methodsByWords: ReadonlyMap<string, Method> = new Map(
  table.flatMap(({ name, listed, inkless, words }) => {
    const method = { name, listed: listed ?? capitalize(name), inkless: inkless ?? false };
    return [name.toLowerCase(), ...words.split(', ')].map((word) => [word, method] as const);
  }),
);

/** Parses text that denotes a method, such as screen print for `Silk-screen printed`. Undefined if it does not. */
export function parseMethod(text: string): Method | undefined {
  const plain = text
    .toLowerCase()
    .replace(/^(?:decoration|imprint|print|printing)?\s*(?:method|process|technique)\s*[:=]\s*/, '')
    .replace(/é/g, 'e')
    .replace(/[()\-_.]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const bare = plain.replace(/\s*\b(?:print|prints|printed|printing)$/, '').trim();
  // `print` alone does not denote a method.
  return methodsByWords.get(plain) ?? (bare === '' ? undefined : methodsByWords.get(bare));
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
