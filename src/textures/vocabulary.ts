// Words for maps in libraries, paint programs, engines and everyday use, and how reliable each word is.
import type { TextureChannel } from '../api/operations/materials.ts';

/** A map that is a texture channel of materials, a known map that is not, or several maps in one image. */
export type MapKind =
  | {
      readonly class: 'channel';
      readonly channel: TextureChannel;
      readonly convention?: 'gl' | 'dx';
    }
  | { readonly class: 'ignored'; readonly map: string }
  | { readonly class: 'packed'; readonly maps: string };

/** A map, or a letter whose meaning depends on the other maps of its material. */
export type WordMeaning = MapKind | { readonly class: 'letter'; readonly letter: string };

/**
 * - `clear`: unambiguous by itself.
 * - `short`: an abbreviation. Needs another map of the same material, or a resolution, next to it.
 * - `noun`: a word that also occurs in product names (metal, base). Needs another map next to it.
 * - `letter`: a single letter. Needs another map next to it, and its meaning depends on the others.
 */
export type WordClass = 'clear' | 'short' | 'noun' | 'letter';

export interface Word {
  readonly kind: WordMeaning;
  readonly wordClass: WordClass;
}

/** Spelling (without case, accents and separators) → word. */
export const vocabulary = new Map<string, Word>();

function add(kind: WordMeaning, wordClass: WordClass, spellings: string): void {
  for (const spelling of spellings.split(' ')) vocabulary.set(spelling, { kind, wordClass });
}

function addChannel(
  channel: TextureChannel,
  spellingsByClass: { readonly [T in WordClass]?: string },
): void {
  const classes: readonly WordClass[] = ['clear', 'short', 'noun', 'letter'];
  for (const wordClass of classes) {
    const spellings = spellingsByClass[wordClass];
    if (spellings !== undefined) add({ class: 'channel', channel }, wordClass, spellings);
  }
}

function addIgnored(map: string, wordClass: WordClass, spellings: string): void {
  add({ class: 'ignored', map }, wordClass, spellings);
}

// English, then German, French, Spanish, Italian and Portuguese.
addChannel('diffuse', {
  clear:
    'diffuse albedo basecolor basecolour color colour colors diffusecolor diffusecolour basecol maintex diff difuse ' +
    'basetex grundfarbe diffus couleurdebase difuso colorbase',
  short: 'alb bc dif clr albd bsm couleur col',
  noun: 'base basemap farbe colore cor tm',
  letter: 'd',
});
addChannel('normal', {
  clear:
    'normal normals nrm normalbump normalbase normaltangent tangentnormal tangentnormals normaltangentspace ' +
    'tangentspacenormal tangentspacenormals normale normalen',
  short: 'nor norm nrml norms nml ddn nmap nm local',
  letter: 'n',
});
addChannel('roughness', {
  clear:
    'roughness specularroughness specroughness specrough rauheit rauigkeit rauhigkeit rugosite rugosidad rugosita rugosidade',
  short: 'rgh rgn',
  noun: 'rough',
  letter: 'r',
});
addChannel('metallic', {
  clear: 'metallic metalness metallicity metallness metallisch metallique metalico metallico',
  short: 'mtl met metl mtlness',
  noun: 'metal',
});
addChannel('depth', {
  clear:
    'height displacement heightmap bumpheight hoehenkarte verschiebung desplazamiento deplacement',
  short: 'disp displace displ dsp hgt ht parallax heights',
  noun: 'depth hohe hoehe hauteur altura altezza dm',
  letter: 'h',
});
addChannel('opacity', {
  clear: 'opacity deckkraft opacite opacidad opacita opacidade',
  short: 'opac opc',
  noun: 'alpha mask cutout transparenz',
});

addIgnored(
  'ao',
  'clear',
  'ao ambientocclusion occlusion mixedao ambientocc umgebungsverdeckung oclusion oclusionambiental occlusionambiante occlusione',
);
addIgnored('ao', 'short', 'occ ambocc');
addIgnored('ao', 'noun', 'ambient');
addIgnored('specular', 'clear', 'specular specularity speculaire especular reflectance fresnel');
addIgnored('specular', 'short', 'spec spc spm refl ior speclvl');
addIgnored('specular', 'noun', 'reflection reflect reflectivity');
addIgnored('specular', 'letter', 's');
addIgnored('emissive', 'clear', 'emissive emission selfillumination selfillum incandescence');
addIgnored('emissive', 'short', 'emis emit emm ems emi');
addIgnored('emissive', 'noun', 'glow illumination luminance lit');
addIgnored('emissive', 'letter', 'e');
addIgnored('gloss', 'clear', 'glossiness smoothness');
addIgnored('gloss', 'short', 'gls');
addIgnored('gloss', 'noun', 'gloss glossy smooth glanz');
addIgnored('gloss', 'letter', 'g');
addIgnored('bump', 'short', 'bump bmp');
addIgnored('cavity', 'noun', 'cavity cav concavity convexity edge edges');
addIgnored('cavity', 'short', 'cvx ccv');
addIgnored('curvature', 'clear', 'curvature');
addIgnored('curvature', 'short', 'curv crv');
addIgnored('curvature', 'noun', 'curve cv');
addIgnored('derivative', 'short', 'drv');
addIgnored('translucency', 'clear', 'translucency subsurface scattering subsurfacescattering');
addIgnored('translucency', 'short', 'sss subs');
addIgnored('translucency', 'noun', 'translucent scatter trans');
addIgnored('transmission', 'clear', 'transmission diffusetransmission refraction absorption');
addIgnored('transmission', 'short', 'refr');
addIgnored('transmission', 'noun', 'transparency transparent');
addIgnored('thickness', 'clear', 'thickness');
addIgnored('sheen', 'noun', 'sheen fuzz');
addIgnored('clearcoat', 'clear', 'clearcoat');
addIgnored('clearcoat', 'noun', 'coat');
addIgnored('anisotropy', 'clear', 'anisotropy anisotropic');
addIgnored('anisotropy', 'short', 'aniso');
addIgnored('iridescence', 'clear', 'iridescence');
addIgnored('matcap', 'clear', 'matcap');
addIgnored('bent-normal', 'clear', 'bentnormal bentnormals normalobj normobj');
addIgnored('bent-normal', 'short', 'bnm wsn');
for (const space of ['object', 'world', 'objectspace', 'worldspace', 'ws', 'os']) {
  addIgnored(
    'bent-normal',
    'clear',
    `${space}normal ${space}normals normal${space} normals${space}`,
  );
}
addIgnored('vector-displacement', 'clear', 'vectordisplacement');
addIgnored('vector-displacement', 'short', 'vdisp vdm');
addIgnored(
  'id',
  'clear',
  'idmask materialid coloridmap colorid matid objid objectid vertexcolor vertexcolour vertexcolors',
);
addIgnored('light', 'clear', 'lightmap');
addIgnored('id', 'noun', 'id');
addIgnored('position', 'noun', 'position');

// Maps of a material layer belong to the layer: `SheenRoughness`, `coat_normal`, `specularEdgeColor`.
const layers = {
  specular: 'specular spec refl reflection specularedge',
  emissive: 'emissive emission',
  translucency: 'subsurface sss scattering scatter translucency',
  transmission: 'transmission refraction refr diffusetransmission absorption',
  sheen: 'sheen fuzz',
  clearcoat: 'clearcoat coat',
  anisotropy: 'anisotropy anisotropic aniso',
  iridescence: 'iridescence',
};
const attributes =
  'color colour level weight strength intensity amount factor mask tint thickness angle rotation direction radius scale distance distancescale opacity';
const surfaces = 'roughness rough normal';
/** Layers that are also common words: `base_coat_color` is the colour of a base coat. */
const ordinary = new Set(['sheen', 'fuzz', 'coat']);
for (const [map, names] of Object.entries(layers)) {
  // `specularRoughness` is Arnold's name for roughness.
  const parts = map === 'specular' ? attributes : `${attributes} ${surfaces}`;
  for (const name of names.split(' ')) {
    const wordClass = ordinary.has(name) ? 'noun' : 'clear';
    for (const part of parts.split(' ')) addIgnored(map, wordClass, name + part);
  }
}

const normalBases = ['normal', 'normals', 'nor', 'norm', 'nrm', 'nrml'];
const normalConventions = { gl: 'gl ogl opengl', dx: 'dx directx d3d' } as const;

/** Normal conventions in folder names. */
export const conventionOfFolder = new Map<string, 'gl' | 'dx'>();
for (const convention of ['gl', 'dx'] as const) {
  const kind: MapKind = { class: 'channel', channel: 'normal', convention };
  for (const suffix of normalConventions[convention].split(' ')) {
    conventionOfFolder.set(suffix, convention);
    add(kind, 'short', `n${suffix}`);
    for (const base of normalBases) {
      add(
        kind,
        'clear',
        `${base}${suffix} ${base}map${suffix} ${suffix}${base} ${suffix}${base}map`,
      );
    }
  }
}

function addPacked(wordClass: WordClass, spellings: Iterable<string>): void {
  for (const spelling of spellings) {
    if (!vocabulary.has(spelling)) add({ class: 'packed', maps: spelling }, wordClass, spelling);
  }
}

addPacked(
  'clear',
  split(
    'orm rma rmo mra mro aorm ormh orma orme arme rmse rmao mrao maor aorh armd ordp mohr ' +
      'maskmap metalsmooth metalrough specsmooth specgloss albedotransparency colormask metallicgloss ' +
      'alphamasked basecoloralpha albedoalpha diffusealpha coloralpha coloropacity basecoloropacity ' +
      'albedospecular ddna materialparams',
  ),
);
addPacked('short', split('ord orh dpr mr rm ams mads mas mer mers rgba'));
addPacked('noun', split('arm mos'));
addPacked('noun', listPackedLetters());

function split(spellings: string): string[] {
  return spellings.split(' ');
}

/** Yields three packed maps by their letters in any order, optionally with a fourth: `RAM`, `MORE`. */
function* listPackedLetters(): Generator<string> {
  const sets = ['orm', 'arm', 'orh', 'arh', 'osm', 'asm', 'ogm', 'agm', 'srm', 'erm'];
  for (const set of sets) {
    const pairs = Array.from(set).flatMap((first) => Array.from(set, (second) => first + second));
    const orders = pairs.flatMap((pair) => Array.from(set, (third) => pair + third));
    for (const name of orders.filter((order) => new Set(order).size === set.length)) {
      yield name;
      if (set[1] === 'r')
        for (const fourth of 'ehd') if (!name.includes(fourth)) yield name + fourth;
    }
  }
}

for (const letter of split('a b c m o')) add({ class: 'letter', letter }, 'letter', letter);
add({ class: 'letter', letter: 'bumpmap' }, 'clear', 'bumpmap');
