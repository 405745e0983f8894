// Calls that create library items: many props or decals per request, but one request per material.
import { assignIds, assignIdsByName, defineCreation } from '../../engine/submit/creation.ts';

export const propCreation = defineCreation({
  operation: 'createProps',
  takesFiles: true,
  readIds: ({ assets, body }, { props }) =>
    assignIdsByName(
      assets,
      body.props.map(({ name }) => name),
      props.map(({ name, propId }) => [name, { propId }]),
    ),
  names: ({ props }) => props.map(({ name }) => name),
});

export const decalCreation = defineCreation({
  operation: 'createDecals',
  takesFiles: true,
  readIds: ({ assets, body }, { decals }) =>
    assignIdsByName(
      assets,
      body.decals.map(({ name }) => name),
      decals.map(({ name, decalId }) => [name, { decalId }]),
    ),
  names: ({ decals }) => decals.map(({ name }) => name),
});

export const materialCreation = defineCreation({
  operation: 'createMaterial',
  takesFiles: true,
  readIds: ({ assets }, { materialId }) => assignIds(assets, () => ({ materialId })),
  names: ({ name }) => [name],
});
