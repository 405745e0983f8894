// The names that an asset has in calls. Pure.
import type { AssetSource } from '../plan/types.ts';

/** Its key; what was done once for all colorways of a model stands under that of the model. */
export function namesIn(
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
