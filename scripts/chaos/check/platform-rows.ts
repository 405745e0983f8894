// Relations between rows of the platform's tables.
import type { PlatformState, Row } from './evidence.ts';

/** Derives the key of the source file. Models that were created individually have only a name. */
export function modelKey({ fileName, name }: Row): string {
  return String(fileName ?? name).replace(/\.glb$/, '');
}

/** Returns the SHA-256 of a model's file. */
export function contentOf({ file }: Row): string {
  return typeof file === 'object' && file !== null && 'sha256' in file ? String(file.sha256) : '';
}

/**
 * True for a model that was deleted before its upload was confirmed, if its source was replaced. The upload was
 * abandoned because the file changed while it was being read, but what was stored may already be the new content.
 */
export function isGivenUp(model: Row, contents: readonly string[]): boolean {
  return model.deleted === true && model['confirmedAt'] === undefined && contents.length > 1;
}

export function firstModel({ modelIds }: Row): string {
  return Array.isArray(modelIds) ? String(modelIds[0]) : '';
}

export function modelOfJob({ projects }: PlatformState, { projectId }: Row): string {
  const project = projects.find(({ id }) => id === projectId);
  return project ? firstModel(project) : '';
}

export function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string) {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
