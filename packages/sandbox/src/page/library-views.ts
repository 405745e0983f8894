// The views of the asset library: props, decals and materials.

import type { Sandbox } from '../context/sandbox.ts';
import { decalStatusOf, propStatusOf } from '../status/library-items.ts';
import { materialStatusOf } from '../status/materials.ts';
import { createView, formatSize, joinFacts } from './view.ts';

/** Image types that browsers can show. */
const shownTypes = new Set(['png', 'jpg', 'jpeg', 'webp', 'gif', 'svg']);

function formatCollection({ store }: Sandbox, collectionId: string | undefined): string[] {
  const collection = store.collections.get(collectionId ?? '');
  return collection ? [`in ${collection.name}`] : [];
}

const props = createView({
  id: 'props',
  title: 'Props',
  rows: ({ store }) => store.props.all,
  name: ({ name }) => name,
  card: (prop, sandbox, nowMs) => {
    const status = propStatusOf(prop, nowMs);
    return {
      id: prop.id,
      title: prop.name,
      status,
      lines: [
        joinFacts(prop.fileType?.toUpperCase(), prop.file && formatSize(prop.file.bytes)),
        ...formatCollection(sandbox, prop.collectionId),
      ],
      image: status === 'READY' ? `/cdn/props/${prop.id}/thumbnail.png` : undefined,
    };
  },
});

const decals = createView({
  id: 'decals',
  title: 'Decals',
  rows: ({ store }) => store.decals.all,
  name: ({ name }) => name,
  card: (decal, sandbox) => {
    const status = decalStatusOf(decal);
    const { file } = decal;
    const isShown = status === 'READY' && shownTypes.has(decal.fileType);
    return {
      id: decal.id,
      title: decal.name,
      status,
      lines: [
        joinFacts(decal.fileType.toUpperCase(), file && `${file.width} × ${file.height}`),
        ...(decal.inks.length > 0
          ? [decal.inks.map((ink) => ink.name || (ink.pantoneCode ?? '')).join(', ')]
          : []),
        ...formatCollection(sandbox, decal.collectionId),
      ],
      image: isShown ? `/cdn/${decal.uploadKey}` : undefined,
    };
  },
});

const materials = createView({
  id: 'materials',
  title: 'Materials',
  rows: ({ store }) => store.materials.all,
  name: ({ name }) => name,
  card: (material, sandbox, nowMs) => {
    const status = materialStatusOf(material, nowMs);
    const { pantone } = material;
    return {
      id: material.id,
      title: material.name,
      status,
      lines: [
        material.flatHex ?? Object.keys(material.textures).join(', '),
        ...(pantone ? [`Pantone ${pantone.code}`] : []),
        ...formatCollection(sandbox, material.collectionId),
      ],
      image: status === 'ready' ? `/cdn/materials/${material.id}/thumbnail.png` : undefined,
    };
  },
});

export const libraryViews = [props, decals, materials];
