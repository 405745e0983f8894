// Compares the textures of a model with a rule. Pure.
import type { TextureMeasure } from '../../glb/model-inspection.ts';
import { formatCount, formatNumber } from '../../plan/helpers/format-count.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import { quoteFirst, type RuleFinding, unchecked } from './rule-finding.ts';
import type { ModelRules } from './rules.ts';

type TextureRule = NonNullable<ModelRules['textures']>;
type KnownTexture = TextureMeasure & { size: NonNullable<TextureMeasure['size']> };

const texturesShown = 3;

/** @param count number of images in the file; `textures` may have fewer */
export function compareTextures(
  { max, maxSize, powerOfTwo, level }: TextureRule,
  textures: readonly TextureMeasure[],
  count: number,
): RuleFinding[] {
  const found: RuleFinding[] = [];
  const report = (message: string) => found.push({ level, message: `textures: ${message}` });
  if (max !== undefined && count > max) {
    const limit = `at most ${formatNumber(max)} are allowed`;
    report(`the file has ${formatNumber(count)}, ${limit}; merge or remove some`);
  }
  if (maxSize === undefined && powerOfTwo === undefined) return found;
  const known = textures.filter((texture): texture is KnownTexture => texture.size !== null);
  const large = known.filter(
    ({ size }) => Math.max(size.width, size.height) > (maxSize ?? Infinity),
  );
  if (large.length > 0)
    report(`${formatSizes(large)}, at most ${maxSize} pixels a side are allowed; scale down`);
  const isOdd = ({ size }: KnownTexture) => !isPowerOfTwo(size.width) || !isPowerOfTwo(size.height);
  const odd = powerOfTwo ? known.filter(isOdd) : [];
  if (odd.length > 0)
    report(`${formatSizes(odd)}, but sides must be powers of two; scale to 1024 or 2048`);
  if (count > known.length) {
    const names = textures.filter(({ size }) => size === null).map(({ name }) => name);
    const listed = names.length > 0 ? ` (${quoteFirst(names)})` : '';
    const unknown = formatCount(count - known.length, 'texture');
    const fix = 'embed each as PNG, JPEG, WebP or KTX2';
    found.push(unchecked(`the size of ${unknown}${listed}, which the file does not show; ${fix}`));
  }
  return found;
}

function formatSizes(textures: readonly KnownTexture[]): string {
  const sizes = textures.map(
    ({ name, size }) => `${quoteFirst([name])} has ${size.width} x ${size.height} pixels`,
  );
  return formatFirst(sizes, texturesShown);
}

function isPowerOfTwo(side: number): boolean {
  return Number.isInteger(Math.log2(side));
}
