// Things of the platform that can be made and deleted again, by the rows of the contract. Render jobs and
// batches, colorways and production files do not count: no operation deletes one.
import type { OperationRow } from './operation.ts';
import { type OperationId, type Operations, operations } from './operations/index.ts';

type Rows = Operations[OperationId];

export type ThingKind = Extract<Rows, { deletes: string }>['deletes'];

type RefOf<Kind extends ThingKind> = Extract<Rows, { makes: { kind: Kind } }>['makes']['ref'];

const rows: readonly OperationRow[] = Object.values(operations);

const kinds = Object.values(operations).flatMap((row) => ('deletes' in row ? [row.deletes] : []));

/** In the order of deletion: a thing goes before what it is made of. */
export const thingKinds: readonly ThingKind[] = kinds.toSorted(
  (one, other) => Number(madeOf(other) !== null) - Number(madeOf(one) !== null),
);

/** Kind of thing that a thing of this kind is made of; null where there is none. */
export function madeOf(kind: string): string | null {
  return rows.find(({ makes }) => makes?.kind === kind && makes.of)?.makes?.of ?? null;
}

/** Position in that order. */
export function rankOf(kind: string): number {
  return thingKinds.findIndex((one) => one === kind);
}

/** Field in which an asset keeps the id of a thing. */
export const idFields: { readonly [Kind in ThingKind]: RefOf<Kind> } = {
  project: 'projectId',
  model: 'modelId',
  prop: 'propId',
  decal: 'decalId',
  material: 'materialId',
};

/** The row of an operation tells of the things that it makes; null where it makes none. */
export function makingOf(operation: string): OperationRow['makes'] | null {
  return rows.find(({ id }) => id === operation)?.makes ?? null;
}

/** Kind of thing that an operation makes; null where it cannot be deleted. Other calls may answer with things they were given. */
export function kindMadeBy(operation: string): ThingKind | null {
  const made = makingOf(operation)?.kind;
  return thingKinds.find((kind) => kind === made) ?? null;
}

/** The operation that deletes a thing for good, and its input. */
export function deletionOf(kind: string, id: string) {
  const row = Object.values(operations).find((one) => 'deletes' in one && one.deletes === kind);
  if (row === undefined || !('deletes' in row))
    throw new TypeError(`no operation deletes a ${kind}`);
  return { operation: row.id, input: { params: { [idFields[row.deletes]]: id } } };
}

type ListId = {
  [Id in OperationId]: Operations[Id] extends { lists: object } ? Id : never;
}[OperationId];

/** The row of the operation that lists things of a kind; null where the platform has none. */
export function listOf(kind: ThingKind): Operations[ListId] | null {
  const lists = Object.values(operations).filter((row) => 'lists' in row);
  return lists.find((row) => row.lists.kind === kind) ?? null;
}
