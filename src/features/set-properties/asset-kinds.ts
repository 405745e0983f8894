import type { AssetType } from '../../api/operations/properties.ts';
import type { Resource } from '../../engine/node-type.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';

interface AssetKind {
  needs: Resource;
  idsOf(platformIds: PlatformIds): readonly string[];
  /** Which assets of a run may have the same id: platform objects, cells, or any asset. Absent if none may. */
  sharedBy?: 'objects' | 'objects and cells' | 'any';
  /** Set for library items, for which assets without an id of the type are omitted instead of failing. */
  isOneOfSeveral?: true;
}

/** The kind of asset for each type. A type without an entry belongs to no asset of a pipeline. */
export const assetKinds: { readonly [Type in AssetType]?: AssetKind } = {
  MODEL: {
    needs: 'model',
    idsOf: ({ modelId }) => presentIdsOf(modelId),
    sharedBy: 'objects and cells',
  },
  VARIANT: {
    needs: 'choice of variants',
    idsOf: ({ variants = [] }) => variants,
    sharedBy: 'objects and cells',
  },
  PROJECT: {
    needs: 'project',
    idsOf: ({ projectId }) => presentIdsOf(projectId),
    sharedBy: 'objects',
  },
  TEMPLATE: {
    needs: 'template',
    idsOf: ({ templateId }) => presentIdsOf(templateId),
    sharedBy: 'any',
  },
  RENDER: { needs: 'finished render', idsOf: ({ outputs = [] }) => outputs.map(({ id }) => id) },
  MATERIAL: createLibraryKind(({ materialId }) => materialId),
  PROP: createLibraryKind(({ propId }) => propId),
  DECAL: createLibraryKind(({ decalId }) => decalId),
};

function createLibraryKind(idOf: (platformIds: PlatformIds) => string | undefined): AssetKind {
  return {
    needs: 'library item',
    idsOf: (platformIds) => presentIdsOf(idOf(platformIds)),
    isOneOfSeveral: true,
  };
}

function presentIdsOf(id: string | undefined): string[] {
  return id === undefined || id === '' ? [] : [id];
}
