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

/** Also counts as listed, since the brackets in `DTF (direct-to-film)` may be only an explanation. */
const shortForms = ['DTF'];

/** A listed method in its listed spelling, whatever the case; other text unchanged. */
export function toListedSpelling(method: string): string {
  const lower = method.toLowerCase();
  const listed = [...listedMethods, ...shortForms];
  return listed.find((known) => known.toLowerCase() === lower) ?? method;
}

/** The words for each method: the platform's in its spelling, others by their plain name. */
const synonyms: Readonly<Record<string, string>> = {
  'Screen print':
    'screen print, screen, screenprint, silk screen, silkscreen, silk, serigraph, serigraphy, sp, scr, plastisol, puff, discharge',
  'DTF (direct-to-film)': 'dtf, direct to film, direct film, dtf direct to film',
  'Direct to garment': 'dtg, direct to garment',
  Embroidery:
    'embroidery, embroidered, embroider, emb, embr, stitched, stitching, flat embroidery, 3d embroidery, puff embroidery',
  Sublimation:
    'sublimation, sublimated, sublimate, sub, subli, dye sub, dye sublimation, dye sublimated, dyesub',
  'Heat transfer':
    'heat transfer, transfer, heat press, heat pressed, heat seal, htv, heat transfer vinyl, vinyl, ht',
  'Tackle twill': 'tackle twill, twill, tt, applique, twill applique',
  Other: 'other',
  'Pad print': 'pad print, pad, tampo, tampon, tampography',
  'Simulated process': 'simulated process, sim process, simprocess',
  Offset: 'offset, offset litho, litho, lithography',
  'Digital print': 'digital print, digital, digital direct, inkjet',
  'UV print': 'uv print, uv, uv digital',
  Flexography: 'flexo, flexography, flexographic',
  Gravure: 'gravure, rotogravure',
  Letterpress: 'letterpress',
  'Foil stamp':
    'foil, foil stamp, foil stamped, foil stamping, hot foil, hot stamp, hot stamping, hot foil stamping',
  'Laser engraving':
    'laser, laser engrave, laser engraved, laser engraving, laser etch, laser etched, laser etching, engrave, engraved, engraving, etched, etching, etch',
  Deboss: 'deboss, debossed, debossing, blind deboss',
  Emboss: 'emboss, embossed, embossing, blind emboss',
  'Woven label': 'woven, woven label, woven patch',
};

const methodsByWords: ReadonlyMap<string, string> = new Map(
  Object.entries(synonyms).flatMap(([method, words]) =>
    words.split(', ').map((word) => [word, method] as const),
  ),
);

/** The method that the whole text names, or undefined: `Silk-screen printed` is screen print. */
export function parseMethod(text: string): string | undefined {
  const plain = text
    .toLowerCase()
    .replace(/^(?:decoration|imprint|print|printing)?\s*(?:method|process|technique)\s*[:=]\s*/, '')
    .replace(/é/g, 'e')
    .replace(/[()\-_.]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const bare = plain.replace(/\s*\b(?:print|prints|printed|printing)$/, '').trim();
  // `print` alone means no method.
  return methodsByWords.get(plain) ?? (bare === '' ? undefined : methodsByWords.get(bare));
}
