// Stored facts of properties: definitions, values, and assets that only a control creates.
import type { AssetType, PropertyType } from 'renderline/api/operations/properties';

export interface OptionRecord {
  readonly id: string;
  readonly label: string;
  readonly color: string | null;
  readonly sortOrder: number;
  readonly archived: boolean;
}

export interface PropertyRecord {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly type: PropertyType;
  readonly appliesTo: readonly AssetType[];
  /** Options in order of creation. They are displayed by sortOrder. */
  readonly options: readonly OptionRecord[];
  readonly dateRange: boolean;
  readonly archived: boolean;
  /** Position in the workspace's order of properties. */
  readonly position: number;
}

/** A date or a range of dates, as UTC midnights in epoch milliseconds. */
export interface StoredDate {
  readonly date: number;
  readonly endDate?: number;
}

export type StoredValue =
  | { readonly optionIds: readonly string[] }
  | { readonly text: string }
  | { readonly number: number }
  | StoredDate;

/** All values of one asset, by property id. */
export interface AssetValuesRecord {
  /** The asset's own id: ids are unique over all types, and a search looks up every asset of a type. */
  readonly id: string;
  readonly assetType: AssetType;
  readonly values: Readonly<Record<string, StoredValue>>;
}

/** A backplate or style. The API has both types, but no operation that creates one. */
export interface StockAssetRecord {
  readonly id: string;
  readonly assetType: 'BACKPLATE' | 'STYLE';
  readonly name: string;
}
