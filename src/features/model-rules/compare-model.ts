import { isSameName } from '../../api/requests/name-comparison.ts';
import { suggestName } from '../../api/requests/nearest-name.ts';
import type { ModelInspection, SceneMeasures, TextureMeasure } from '../../glb/model-inspection.ts';
import { parseSizeBytes } from '../../language/byte-size.ts';
import { formatCount, formatNumber } from '../../plan/helpers/format-count.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import type { KhronosReport } from './khronos-validator.ts';
import { type Level, type ModelRules, type Unit, unitMetres } from './rules.ts';

/** An inspected model. `khronos` is null if the validator did not run, and says why if it has no result. */
export interface InspectedModel {
  inspection: ModelInspection;
  khronos: KhronosReport | string | null;
}

const maxIssuesShown = 3;

/** Returns the rules that the model breaks, and the rules that cannot be checked. */
export function compareModel(
  rules: ModelRules,
  { inspection, khronos }: InspectedModel,
): RuleFinding[] {
  return [
    ...compareBytes(rules, inspection),
    ...(inspection.container === 'other'
      ? listUncheckedRules(rules)
      : compareGltf(rules, inspection)),
    ...compareKhronos(rules, khronos),
  ];
}

/** Reports the rules that cannot be checked, because only glTF files show their contents. */
function listUncheckedRules({ bytes: _bytes, khronos, ...rules }: ModelRules): RuleFinding[] {
  const names = [...Object.keys(rules), ...(khronos === 'off' ? [] : ['khronos'])];
  if (names.length === 0) return [];
  const message = `${names.join(', ')}, because only .glb and .gltf files can be inspected; export the model as .glb`;
  return [createUncheckedFinding(message)];
}

function compareBytes({ bytes }: ModelRules, inspection: ModelInspection): RuleFinding[] {
  if (bytes === undefined || inspection.bytes <= parseSizeBytes(bytes.max)) return [];
  const message = `bytes: the file has ${formatNumber(inspection.bytes)} bytes, but at most ${bytes.max} are allowed; compress its textures and geometry`;
  return [{ level: bytes.level, message }];
}

function compareGltf(rules: ModelRules, inspection: ModelInspection): RuleFinding[] {
  const { materials, slots, variants, triangles, textures, size } = rules;
  const { measures, images, animations } = inspection;
  const findings: RuleFinding[] = [];
  const count = inspection.materials.length;
  if (materials !== undefined && count > materials.max) {
    const message = `materials: the file has ${formatCount(count, 'material')}, but at most ${formatNumber(materials.max)} are allowed; merge materials that look the same`;
    findings.push({ level: materials.level, message });
  }
  const slotNames = inspection.materials.filter((name) => name !== null);
  if (slots) findings.push(...findMissingNames('slot', slots, slotNames, 'rename the material'));
  if (variants)
    findings.push(...findMissingNames('variant', variants, inspection.variants, 'add the variant'));
  // Only files of other types have no measures, because the inspection measures every glTF file that rules apply to.
  if (measures === undefined) return findings;
  if (triangles !== undefined && measures.triangles > triangles.max) {
    const message = `triangles: the model draws ${formatCount(measures.triangles, 'triangle')}, but at most ${formatNumber(triangles.max)} are allowed; reduce the meshes`;
    findings.push({ level: triangles.level, message });
  }
  if (textures) findings.push(...compareTextures(textures, measures.textures, images));
  if (size) findings.push(...compareSize(size, measures, animations > 0));
  return findings;
}

function findMissingNames(
  noun: 'slot' | 'variant',
  { required, level }: { required: readonly string[]; level: Level },
  presentNames: readonly string[],
  fix: string,
): RuleFinding[] {
  const absentNames = required.filter(
    (name) => !presentNames.some((other) => isSameName(name, other)),
  );
  const [first] = absentNames;
  if (first === undefined) return [];
  const hint =
    suggestName(first, presentNames) ?? `it has ${quoteFirst(presentNames) || 'none with a name'}`;
  const message = `${noun}s: the file has no ${noun} ${quoteFirst(absentNames)}, ${hint}; ${fix} in the model`;
  return [{ level, message }];
}

function compareKhronos(
  { khronos: level }: ModelRules,
  report: InspectedModel['khronos'],
): RuleFinding[] {
  if (level === 'off' || report === null) return [];
  if (typeof report === 'string') return [createUncheckedFinding(`khronos, because ${report}`)];
  const { errors, warnings, issues } = report;
  if (errors + warnings === 0) return [];
  const counts = `${formatCount(errors, 'error')} and ${formatCount(warnings, 'warning')}`;
  const message = `khronos: the validator finds ${counts}: ${formatFirst(issues, maxIssuesShown)}; correct these in the 3D program and export the model again`;
  return [{ level: errors > 0 ? level : 'warn', message }];
}

type TextureRule = NonNullable<ModelRules['textures']>;
type KnownTexture = TextureMeasure & { size: NonNullable<TextureMeasure['size']> };

const maxTexturesShown = 3;

/** @param count number of images in the file, of which `textures` may omit some */
function compareTextures(
  { max, maxSize, powerOfTwo, level }: TextureRule,
  textures: readonly TextureMeasure[],
  count: number,
): RuleFinding[] {
  const findings: RuleFinding[] = [];
  const report = (message: string) => findings.push({ level, message: `textures: ${message}` });
  if (max !== undefined && count > max) {
    const limit = `at most ${formatNumber(max)} are allowed`;
    report(`the file has ${formatCount(count, 'image')}, but ${limit}; merge or remove images`);
  }
  if (maxSize === undefined && powerOfTwo === undefined) return findings;
  const isKnown = (texture: TextureMeasure): texture is KnownTexture => texture.size !== null;
  const knownTextures = textures.filter(isKnown);
  const isLarge = ({ size }: KnownTexture) =>
    Math.max(size.width, size.height) > (maxSize ?? Infinity);
  const large = formatSizes(knownTextures.filter(isLarge));
  if (large)
    report(`${large}, but at most ${maxSize} pixels per side are allowed; scale the textures down`);
  const isOdd = ({ size }: KnownTexture) => !isPowerOfTwo(size.width) || !isPowerOfTwo(size.height);
  const odd = formatSizes(powerOfTwo ? knownTextures.filter(isOdd) : []);
  if (odd)
    report(
      `${odd}, but sides must be powers of two; scale the textures to sides such as 1024 or 2048`,
    );
  if (count > knownTextures.length) {
    const names = textures.filter(({ size }) => size === null).map(({ name }) => name);
    const nameNote = names.length > 0 ? ` (${quoteFirst(names)})` : '';
    const textureCount = formatCount(count - knownTextures.length, 'texture');
    const message = `the size of ${textureCount}${nameNote}, which the file does not contain; embed each texture as PNG, JPEG, WebP or KTX2`;
    findings.push(createUncheckedFinding(message));
  }
  return findings;
}

function formatSizes(textures: readonly KnownTexture[]): string {
  const sizes = textures.map(
    ({ name, size }) => `${quoteFirst([name])} has ${size.width} x ${size.height} pixels`,
  );
  return formatFirst(sizes, maxTexturesShown);
}

function isPowerOfTwo(side: number): boolean {
  return Number.isInteger(Math.log2(side));
}

type SizeRule = NonNullable<ModelRules['size']>;
type Size = NonNullable<SceneMeasures['size']>;

const sides = ['width', 'height', 'depth'] as const;
type Side = (typeof sides)[number];

/** Units that a program may have used for the numbers, although glTF uses metres. */
const units: readonly (readonly [name: string, unit: Unit])[] = [
  ['millimetres', 'mm'],
  ['centimetres', 'cm'],
  ['inches', 'in'],
  ['feet', 'ft'],
];

/** Relative tolerance, because sums of positions have rounding errors. */
const tolerance = 1e-5;

function compareSize(
  rule: SizeRule,
  { size, sizeProblem }: SceneMeasures,
  isAnimated: boolean,
): RuleFinding[] {
  if (size === null) return [createUncheckedFinding(`size, because ${sizeProblem}`)];
  const brokenSides = sides.filter((side) => !isSizeAllowed(rule, size, side));
  if (brokenSides.length === 0) return [];
  const measuredSides = brokenSides.map((side) => formatSide(rule, size, side)).join(', ');
  const atRest = isAnimated ? ' at rest' : '';
  const message = `size: ${measuredSides}${atRest}; ${suggestUnit(rule, size) ?? 'scale the model'}`;
  return [{ level: rule.level, message }];
}

function isSizeAllowed(rule: SizeRule, size: Size, side: Side, scale = 1, least?: number): boolean {
  const { min: ruleMin = 0, max = Infinity } = rule[side] ?? {};
  const min = least ?? ruleMin;
  const value = (size[side] * scale) / unitMetres[rule.unit];
  return value >= min * (1 - tolerance) && value <= max * (1 + tolerance);
}

/** Formats a side with the limit that it breaks: `height 2500 m, at most 3 m`. */
function formatSide({ unit, ...rule }: SizeRule, size: Size, side: Side): string {
  const { min, max } = rule[side] ?? {};
  const value = size[side] / unitMetres[unit];
  const isSmall = min !== undefined && value < min;
  const limit = isSmall ? `at least ${min} ${unit}` : `at most ${max} ${unit}`;
  return `${side} ${Number(value.toPrecision(4))} ${unit}, ${limit}`;
}

/** A wrong unit is suggested only if the model is too large by more than this factor. */
const wrongUnitFactor = 10;

function suggestUnit(rule: SizeRule, size: Size): string | null {
  if (sides.every((side) => isSizeAllowed(rule, size, side, 1 / wrongUnitFactor, 0))) return null;
  const likelyUnit = units.find(([, unit]) =>
    sides.every((side) => isSizeAllowed(rule, size, side, unitMetres[unit])),
  );
  if (likelyUnit === undefined) return null;
  return `the numbers fit as ${likelyUnit[0]}, but glTF is in metres: scale by ${unitMetres[likelyUnit[1]]} on export`;
}

interface RuleFinding {
  /** `unchecked` means that the rule cannot be evaluated. */
  level: Level | 'unchecked';
  /** Measured value, limit and fix, without the name of the node. */
  message: string;
}

const maxNamesShown = 5;
const maxNameLength = 80;

function createUncheckedFinding(message: string): RuleFinding {
  return { level: 'unchecked', message: `not checked: ${message}` };
}

/** Quotes the first few names of a file, which may contain anything. */
function quoteFirst(names: readonly string[]): string {
  return formatFirst(
    names.map((name) => JSON.stringify(name.slice(0, maxNameLength))),
    maxNamesShown,
  );
}
