// The words of texture file names: which map they stand for, and how far a word alone can be trusted.
import type { TextureChannel } from '../api/operations/materials.ts';

/** A map that has a slot, one that is known but has none, or several in one image. */
export type MapKind =
  | { readonly class: 'channel'; readonly channel: TextureChannel; readonly flavor?: 'gl' | 'dx' }
  | { readonly class: 'ignored'; readonly map: string }
  | { readonly class: 'packed'; readonly maps: string };

/** A map, or a letter that only the other maps of its material can explain. */
export type WordKind = MapKind | { readonly class: 'letter'; readonly letter: string };

/**
 * - `clear`: says its map by itself.
 * - `short`: an abbreviation; needs another map of the same material, or a resolution, beside it.
 * - `noun`: also an ordinary word of product names (metal, base); needs another map beside it.
 * - `letter`: one letter; needs another map beside it, and its meaning depends on the others.
 */
export type Trust = 'clear' | 'short' | 'noun' | 'letter';

export interface Word {
  readonly kind: WordKind;
  readonly trust: Trust;
}

const words = new Map<string, Word>();

function add(kind: WordKind, trust: Trust, spellings: string): void {
  for (const spelling of spellings.split(' ')) words.set(spelling, { kind, trust });
}

function addChannel(channel: TextureChannel, by: { readonly [T in Trust]?: string }): void {
  const trusts: readonly Trust[] = ['clear', 'short', 'noun', 'letter'];
  for (const trust of trusts) {
    const spellings = by[trust];
    if (spellings !== undefined) add({ class: 'channel', channel }, trust, spellings);
  }
}

function addIgnored(map: string, trust: Trust, spellings: string): void {
  add({ class: 'ignored', map }, trust, spellings);
}

addChannel('diffuse', {
  clear:
    'diffuse albedo basecolor basecolour color colour colors diffusecolor diffusecolour basecol maintex diff difuse',
  short: 'alb bc dif clr albd',
  noun: 'base col basemap',
  letter: 'd',
});
addChannel('normal', {
  clear: 'normal normals nrm normalbump',
  short: 'nor norm nrml norms nml ddn nmap nm',
  letter: 'n',
});
addChannel('roughness', {
  clear: 'roughness specularroughness',
  short: 'rgh rgn',
  noun: 'rough',
  letter: 'r',
});
addChannel('metallic', {
  clear: 'metallic metalness metallicity metallness',
  short: 'mtl met metl mtlness',
  noun: 'metal',
});
addChannel('depth', {
  clear: 'height displacement heightmap bumpheight',
  short: 'disp displace displ dsp hgt parallax heights',
  noun: 'depth',
  letter: 'h',
});
addChannel('opacity', { clear: 'opacity', short: 'opac opc', noun: 'alpha mask cutout' });

addIgnored('ao', 'clear', 'ao ambientocclusion occlusion mixedao ambientocc');
addIgnored('ao', 'short', 'occ ambocc');
addIgnored('ao', 'noun', 'ambient');
addIgnored('specular', 'clear', 'specular specularlevel specularcolor specularity specularcolour');
addIgnored('specular', 'short', 'spec spc refl ior speclvl');
addIgnored('specular', 'noun', 'reflection reflect reflectivity');
addIgnored('specular', 'letter', 's');
addIgnored(
  'emissive',
  'clear',
  'emissive emission emissivecolor emissioncolor selfillumination selfillum',
);
addIgnored('emissive', 'short', 'emis emit emm ems emi');
addIgnored('emissive', 'noun', 'glow illumination');
addIgnored('emissive', 'letter', 'e');
addIgnored('gloss', 'clear', 'glossiness smoothness');
addIgnored('gloss', 'short', 'gls');
addIgnored('gloss', 'noun', 'gloss glossy smooth');
addIgnored('gloss', 'letter', 'g');
addIgnored('bump', 'short', 'bump bmp');
addIgnored('bump', 'clear', 'bumpmap');
addIgnored('cavity', 'noun', 'cavity cav');
addIgnored('curvature', 'clear', 'curvature');
addIgnored('curvature', 'short', 'curv');
addIgnored(
  'translucency',
  'clear',
  'translucency subsurface subsurfacecolor scattering subsurfacescattering',
);
addIgnored('translucency', 'short', 'sss');
addIgnored('translucency', 'noun', 'translucent');
addIgnored('transmission', 'clear', 'transmission');
addIgnored('transmission', 'noun', 'transparency transparent');
addIgnored('thickness', 'clear', 'thickness');
addIgnored('sheen', 'noun', 'sheen fuzz');
addIgnored(
  'clearcoat',
  'clear',
  'clearcoat clearcoatroughness clearcoatnormal coatroughness coatnormal',
);
addIgnored('clearcoat', 'noun', 'coat');
addIgnored('anisotropy', 'clear', 'anisotropy anisotropic anisotropyangle anisotropylevel');
addIgnored('anisotropy', 'short', 'aniso');
addIgnored('iridescence', 'clear', 'iridescence');
addIgnored(
  'bent-normal',
  'clear',
  'bentnormal bentnormals worldspacenormal worldnormal objectspacenormal wsnormal',
);
addIgnored('bent-normal', 'short', 'bnm wsn');
addIgnored('vector-displacement', 'clear', 'vectordisplacement');
addIgnored('vector-displacement', 'short', 'vdisp vdm');
addIgnored('id', 'clear', 'idmask materialid coloridmap colorid');
addIgnored('light', 'clear', 'lightmap');
addIgnored('id', 'noun', 'id');
addIgnored('position', 'noun', 'position');

const normalBases = ['normal', 'normals', 'nor', 'norm', 'nrm', 'nrml'];
const normalFlavors = { gl: 'gl ogl opengl', dx: 'dx directx d3d' } as const;
for (const flavor of ['gl', 'dx'] as const) {
  const kind: MapKind = { class: 'channel', channel: 'normal', flavor };
  for (const suffix of normalFlavors[flavor].split(' ')) {
    for (const base of normalBases) add(kind, 'clear', `${base}${suffix} ${base}map${suffix}`);
  }
}

function addPacked(trust: Trust, spellings: string): void {
  for (const spelling of spellings.split(' ')) {
    add({ class: 'packed', maps: spelling }, trust, spelling);
  }
}
addPacked(
  'clear',
  'orm rma rmo mra mro aorm ormh orma orme arme rmse rmao mrao maor aorh armd ordp mohr',
);
addPacked(
  'clear',
  'maskmap metalsmooth metalrough specsmooth specgloss albedotransparency colormask',
);
addPacked('clear', 'alphamasked basecoloralpha albedoalpha diffusealpha coloralpha coloropacity');
addPacked('short', 'ord orh dpr mr rm ams mads mas mer rgba');
addPacked('noun', 'arm mos');

for (const letter of ['a', 'b', 'c', 'm', 'o']) add({ class: 'letter', letter }, 'letter', letter);

/** What an ambiguous letter stands for beside these maps of its material. */
export function kindOfLetter(letter: string, others: ReadonlySet<string>): MapKind {
  const colored = others.has('diffuse');
  const diffuse: MapKind = { class: 'channel', channel: 'diffuse' };
  switch (letter) {
    case 'a':
      return colored ? { class: 'channel', channel: 'opacity' } : diffuse;
    case 'b':
      return colored ? { class: 'ignored', map: 'bump' } : diffuse;
    case 'c':
      return colored ? { class: 'ignored', map: 'cavity' } : diffuse;
    case 'o':
      return others.has('ao')
        ? { class: 'channel', channel: 'opacity' }
        : { class: 'ignored', map: 'ao' };
    default:
      // M without a roughness beside it carries the smoothness in its alpha.
      return others.has('roughness') || others.has('gloss')
        ? { class: 'channel', channel: 'metallic' }
        : { class: 'packed', maps: 'metallic gloss' };
  }
}

/** What follows a map's word and changes nothing: `NormalMap`, `roughness_texture`. */
const suffixes = ['map', 'maps', 'texture', 'tex', 'image', 'pass', 'channel'];

/** The longest run of tokens that is one spelling of a map. */
export const mostTokensOfWord = 5;

/** What this spelling stands for; case and separators are gone already. */
export function wordOf(spelling: string): Word | undefined {
  const known = words.get(spelling);
  if (known) return known;
  for (const suffix of suffixes) {
    if (!spelling.endsWith(suffix)) continue;
    const word = words.get(spelling.slice(0, -suffix.length));
    if (!word || word.trust === 'letter') continue;
    // "Metal map" is no ordinary word any more.
    return { kind: word.kind, trust: word.trust === 'noun' ? 'short' : word.trust };
  }
  return undefined;
}

/** Every spelling; for typing errors and for names glued together. */
export function spellings(): IterableIterator<[string, Word]> {
  return words.entries();
}

/** What a map is called in a comparison: two words of the same map are equal. */
export function mapName(kind: WordKind): string {
  if (kind.class === 'letter') return `letter ${kind.letter}`;
  if (kind.class === 'channel') return kind.channel;
  return kind.class === 'ignored' ? kind.map : `packed ${kind.maps}`;
}
