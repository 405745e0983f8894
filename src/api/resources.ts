// Resources that can be created, read or deleted, derived from operations. No operation deletes jobs or colorways.
import type { OperationRow } from './contract/operation.ts';
import { type OperationId, type Operations, operations } from './operations/index.ts';

type Rows = Operations[OperationId];

export type ResourceKind = Extract<Rows, { deletes: string }>['deletes'];

type IdFieldOf<Kind extends ResourceKind> = Extract<
  Rows,
  { creates: { kind: Kind } }
>['creates']['idField'];

const rows: readonly OperationRow[] = Object.values(operations);

const kinds = Object.values(operations).flatMap((row) => ('deletes' in row ? [row.deletes] : []));

/** Kinds in the order of deletion: a resource is deleted before the resource that it was created from. */
export const resourceKinds: readonly ResourceKind[] = kinds.toSorted(
  (a, b) => Number(findParentKind(b) !== null) - Number(findParentKind(a) !== null),
);

/** Returns the kind of the resource that this kind is created from, or null if there is none. */
export function findParentKind(kind: string): string | null {
  return (
    rows.find(({ creates }) => creates?.kind === kind && creates.parentKind)?.creates?.parentKind ??
    null
  );
}

/** Returns the position of a kind in the order of deletion. */
export function deletionRankOf(kind: string): number {
  return resourceKinds.findIndex((resourceKind) => resourceKind === kind);
}

/** Asset field that stores the id of a resource, by kind. */
export const idFields: { readonly [Kind in ResourceKind]: IdFieldOf<Kind> } = {
  project: 'projectId',
  model: 'modelId',
  prop: 'propId',
  decal: 'decalId',
  material: 'materialId',
};

export function findCreatedResource(operation: string): OperationRow['creates'] | null {
  return rows.find(({ id }) => id === operation)?.creates ?? null;
}

/** Returns the kind of resource that an operation creates, or null if it creates none that can be deleted. */
export function findCreatedKind(operation: string): ResourceKind | null {
  const createdKind = findCreatedResource(operation)?.kind;
  return resourceKinds.find((kind) => kind === createdKind) ?? null;
}

/** Returns the operation that reads one resource of a kind, or null if there is none. */
export function findReadOperation(kind: string): OperationRow | null {
  return rows.find(({ reads }) => reads === kind) ?? null;
}

/** Returns the operation that permanently deletes a resource, with its input. */
export function deletionOf(kind: string, id: string) {
  const row = Object.values(operations).find(
    (operation) => 'deletes' in operation && operation.deletes === kind,
  );
  if (row === undefined || !('deletes' in row))
    throw new TypeError(`no operation deletes a ${kind}`);
  return { operation: row.id, input: { params: { [idFields[row.deletes]]: id } } };
}

type ListId = {
  [Id in OperationId]: Operations[Id] extends { lists: object } ? Id : never;
}[OperationId];

export function findListOperation(kind: ResourceKind): Operations[ListId] | null {
  const lists = Object.values(operations).filter((row) => 'lists' in row);
  return lists.find((row) => row.lists.kind === kind) ?? null;
}
