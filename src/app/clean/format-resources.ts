import { formatCount } from '../../plan/helpers/format-count.ts';
import type { Orphan } from '../../store/search/find-orphans.ts';

/** Formats the number of resources of each kind, for example `12 models and 3 projects`. */
export function formatResources(resources: readonly Pick<Orphan, 'kind'>[]): string {
  const parts = kindsOf(resources).map((kind) =>
    formatCount(resources.filter((resource) => resource.kind === kind).length, kind),
  );
  const last = parts.pop() ?? 'nothing';
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}

/** Returns the kinds in the order of their first resource, which is the order of deletion. */
export function kindsOf(resources: readonly Pick<Orphan, 'kind'>[]): string[] {
  return [...new Set(resources.map(({ kind }) => kind))];
}
