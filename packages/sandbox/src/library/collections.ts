// Collections of library items. They are created by name on first use.
import type { LibraryChange } from 'renderline/api/operations/library';
import type { Sandbox } from '../context/sandbox.ts';
import { fail } from '../http/failure.ts';

/** Returns the id of the collection with this name, and creates the collection if missing. Undefined without a name. */
export function ensureCollection(
  { store }: Sandbox,
  name: string | null | undefined,
  nowMs: number,
): string | undefined {
  if (name === null || name === undefined) return undefined;
  const existingCollection = store.collections.all.find((collection) => collection.name === name);
  if (existingCollection) return existingCollection.id;
  return store.collections.insert({ id: store.newId('collection'), name, createdAt: nowMs }).id;
}

/** Checks that the collection exists. @throws ApiFailure NOT_FOUND if no collection has this id */
export function checkCollection({ store }: Sandbox, collectionId: string): void {
  if (!store.collections.get(collectionId)) {
    fail('NOT_FOUND', `collectionId: the collection ${collectionId} does not exist.`);
  }
}

/**
 * The fields that a PATCH changes. `collection` overrides `collectionId`. Null removes the item from its collection.
 * @throws ApiFailure NOT_FOUND
 */
export function toLibraryUpdate(
  sandbox: Sandbox,
  change: LibraryChange,
  nowMs: number,
): { name?: string; collectionId?: string | undefined } {
  const { name, collection, collectionId } = change;
  const renamed = name === undefined ? {} : { name };
  if (collection !== undefined)
    return { ...renamed, collectionId: ensureCollection(sandbox, collection, nowMs) };
  if (collectionId === undefined) return renamed;
  if (collectionId !== null) checkCollection(sandbox, collectionId);
  return { ...renamed, collectionId: collectionId ?? undefined };
}
