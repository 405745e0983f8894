// The assets of each type in the workspace.
import type { AssetType } from 'renderline/api/operations/properties';
import type { Sandbox } from '../context/sandbox.ts';
import { fail } from '../http/failure.ts';
import type { StockAssetRecord } from '../state/property-records.ts';
import type { Store } from '../state/store.ts';
import type { Table } from '../state/table.ts';
import { renderJobStatus } from '../status/renders.ts';
import { findTemplate, listAllTemplates } from '../templates/templates.ts';
import { normalizeGuid } from '../variants/guid.ts';
import { variantsOf } from '../variants/variants.ts';

export interface Asset {
  readonly id: string;
  readonly name: string;
}

type Find = (id: string) => Asset | undefined;

interface AssetKind {
  /** All assets, oldest first. */
  readonly all: (sandbox: Sandbox) => readonly Asset[];
  /** Creates a lookup function, for many ids. */
  readonly finder: (sandbox: Sandbox, nowMs: number) => Find;
}

/** Creates the kind of assets that have their own table. */
function createTableKind(tableOf: (store: Store) => Table<Asset>): AssetKind {
  return {
    all: ({ store }) => tableOf(store).all,
    finder({ store }) {
      return (id) => tableOf(store).get(id);
    },
  };
}

const variants: AssetKind = {
  all: (sandbox) => sandbox.store.models.all.flatMap((model) => variantsOf(sandbox, model)),
  finder: (sandbox) => {
    const byId = new Map(variants.all(sandbox).map((asset) => [normalizeGuid(asset.id), asset]));
    return (id) => byId.get(normalizeGuid(id));
  },
};

/** Finished outputs only, since clients see an output only when its job is COMPLETED. */
const renders: AssetKind = {
  all: (sandbox) => sandbox.renders.finished.map(({ output }) => output),
  finder: (sandbox, nowMs) => (id) => {
    const placedOutput = sandbox.renders.output(id);
    if (!placedOutput || renderJobStatus(placedOutput.job, nowMs) !== 'COMPLETED') return undefined;
    return placedOutput.output;
  },
};

function createStockKind(assetType: StockAssetRecord['assetType']): AssetKind {
  return {
    all: ({ store }) => store.stockAssets.all.filter((asset) => asset.assetType === assetType),
    finder({ store }) {
      return (id) => {
        const asset = store.stockAssets.get(id);
        return asset?.assetType === assetType ? asset : undefined;
      };
    },
  };
}

const kinds: Record<AssetType, AssetKind> = {
  MODEL: createTableKind((store) => store.models),
  VARIANT: variants,
  PROJECT: createTableKind((store) => store.projects),
  TEMPLATE: {
    all: ({ store }) => listAllTemplates(store),
    finder({ store }) {
      return (id) => findTemplate(store, id);
    },
  },
  MATERIAL: createTableKind((store) => store.materials),
  PROP: createTableKind((store) => store.props),
  RENDER: renders,
  DECAL: createTableKind((store) => store.decals),
  BACKPLATE: createStockKind('BACKPLATE'),
  STYLE: createStockKind('STYLE'),
};

/** Returns all assets of a type, oldest first. */
export function assetsOf(sandbox: Sandbox, assetType: AssetType): readonly Asset[] {
  return kinds[assetType].all(sandbox);
}

/** Creates a lookup by asset id. The lookup throws ApiFailure NOT_FOUND. */
export function createAssetFinder(sandbox: Sandbox, assetType: AssetType, nowMs: number) {
  const find = kinds[assetType].finder(sandbox, nowMs);
  return (id: string): Asset =>
    find(id) ?? fail('NOT_FOUND', `The ${assetType} ${id} does not exist in this workspace.`);
}
