// Keys of assets that are cells of a colorway grid or views, and keys of what such assets share. Pure.
import { replaceUnsafe } from '../../language/naming.ts';
import type { AssetSource } from '../../plan/types.ts';

interface KeyedSource {
  key: string;
  source: Pick<AssetSource, 'colorway' | 'view'>;
}

/** Key of the asset that this asset is a view of; its own key if it is not a view. */
export function viewedKeyOf({ key, source }: KeyedSource): string {
  return source.view?.of ?? key;
}

/** Key of the model of an asset. */
export function modelKeyOf(asset: KeyedSource): string {
  return asset.source.colorway?.model ?? viewedKeyOf(asset);
}

/** The keys under which calls for an asset may be recorded: its own key and the keys that it shares with other assets. */
export function callKeysOf(asset: KeyedSource): string[] {
  return [...new Set([asset.key, viewedKeyOf(asset), modelKeyOf(asset)])];
}

/**
 * Key of a model in one colorway, or of an asset in one view. Separators are removed from the name. The rest of the name
 * must stay unchanged, since records are found by the key.
 */
export function cellKey(of: string, name: string): string {
  return `${of}@${replaceUnsafe(/[/\\@]/g, name)}`;
}

/** True for one of several assets that share a model. */
export function isCell({ source }: Pick<KeyedSource, 'source'>): boolean {
  return source.colorway !== undefined || source.view !== undefined;
}
