// The keys of assets that are cells of a colorway grid, and of their models. Pure.
import type { AssetSource } from '../plan/types.ts';

/** The key that an asset has in a call; what was done once for all colorways of a model stands under that of the model. */
export function nameIn(
  keys: readonly string[],
  { key, source }: { key: string; source: Pick<AssetSource, 'colorway'> },
): string | undefined {
  return keys.find((one) => one === key || one === source.colorway?.model);
}

/** Key of the model of an asset. */
export function modelKeyOf({
  key,
  source,
}: {
  key: string;
  source: Pick<AssetSource, 'colorway'>;
}) {
  return source.colorway?.model ?? key;
}

/** Key of a model in one of its colorways. */
export function cellKey(model: string, colorway: string): string {
  return `${model}@${colorway}`;
}

/** Takes the key of a cell apart: no name of a colorway has an @. */
export function cellOfKey(key: string): { model: string; colorway: string } | null {
  const at = key.lastIndexOf('@');
  return at <= 0 ? null : { model: key.slice(0, at), colorway: key.slice(at + 1) };
}
