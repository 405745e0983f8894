// The keys of assets that are cells of a colorway grid or views, and of what they share. Pure.
import { without } from '../../language/naming.ts';
import type { AssetSource } from '../../plan/types.ts';

interface Named {
  key: string;
  source: Pick<AssetSource, 'colorway' | 'view'>;
}

/** Key of what an asset is a view of; its own where it is none. */
export function viewedKeyOf({ key, source }: Named): string {
  return source.view?.of ?? key;
}

/** Key of the model of an asset. */
export function modelKeyOf(asset: Named): string {
  return asset.source.colorway?.model ?? viewedKeyOf(asset);
}

/** The keys under which calls may have been made for an asset: its own, and those of what it shares with others. */
export function namesOf(asset: Named): string[] {
  return [...new Set([asset.key, viewedKeyOf(asset), modelKeyOf(asset)])];
}

/**
 * Key of a model in one of its colorways, or of an asset in one of its views. The name is without what divides keys;
 * any other name stands in it as it is written, and must, since records are found by it.
 */
export function cellKey(of: string, name: string): string {
  return `${of}@${without(/[/\\@]/g, name)}`;
}

/** True for an asset that is one of several that share a model. */
export function isCell({ source }: Pick<Named, 'source'>): boolean {
  return source.colorway !== undefined || source.view !== undefined;
}
