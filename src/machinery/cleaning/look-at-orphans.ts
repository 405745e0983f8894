// Which orphans the platform still has, and which of them somebody's project stands on.
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { pages } from '../../api/pages.ts';
import { lookAtItems, watchedItemId } from '../../capabilities/library/library-board.ts';
import type { LibraryKind } from '../../capabilities/library/library-kinds.ts';
import { mapBounded } from '../../store/objects/bounded.ts';
import type { Orphan } from '../../store/search/find-orphans.ts';

const modelsPerRequest = 100;

export interface LookedAtOrphans {
  /** What may be deleted. */
  there: Orphan[];
  /** Models that stay: a project that stays has them. */
  held: { orphan: Orphan; projectId: string }[];
}

/**
 * Deleting a model takes it out of every project that has it (4.2), whoever made that, so all projects are
 * listed: that also tells which of the orphans are there, for less than a request each.
 */
export async function lookAtOrphans(
  client: Client,
  orphans: readonly Orphan[],
  { requests, signal }: { requests: RequestCounter; signal: AbortSignal },
): Promise<LookedAtOrphans> {
  const call = { scope: requests, signal };
  const models = await modelsThere(client, idsOf(orphans, 'model'), call);
  const items = orphans.flatMap(({ kind, id }) => (isItem(kind) ? [{ kind, id }] : []));
  const looks = await lookAtItems(client, items, requests);
  const projects = new Set(idsOf(orphans, 'project'));
  const projectsThere = new Set<string>();
  const holders = new Map<string, string>();
  if (projects.size > 0 || models.size > 0) {
    // A project that is not seen would not keep its models from being deleted.
    const all = pages('listProjects', client.listProjects, {}, { call, whole: true });
    for await (const { projectId, modelIds } of all) {
      if (projects.has(projectId)) projectsThere.add(projectId);
      else for (const modelId of modelIds) holders.set(modelId, projectId);
    }
  }
  const isThere = ({ kind, id }: Orphan): boolean => {
    if (kind === 'model') return models.has(id);
    if (kind === 'project') return projectsThere.has(id);
    return isItem(kind) && looks.get(watchedItemId({ kind, id })) !== null;
  };
  const there = orphans.filter(isThere);
  const holderOf = ({ kind, id }: Orphan) => (kind === 'model' ? holders.get(id) : undefined);
  return {
    there: there.filter((orphan) => holderOf(orphan) === undefined),
    held: there.flatMap((orphan) => {
      const projectId = holderOf(orphan);
      return projectId === undefined ? [] : [{ orphan, projectId }];
    }),
  };
}

async function modelsThere(
  client: Client,
  ids: readonly string[],
  call: { scope: RequestCounter; signal: AbortSignal },
): Promise<Set<string>> {
  const groups = Array.from({ length: Math.ceil(ids.length / modelsPerRequest) }, (_, page) =>
    ids.slice(page * modelsPerRequest, (page + 1) * modelsPerRequest),
  );
  const answers = await mapBounded(groups, (modelIds) =>
    client.checkModelStatus({ body: { modelIds } }, call),
  );
  return new Set(answers.flatMap(({ models }) => models.map(({ modelId }) => modelId)));
}

function idsOf(orphans: readonly Orphan[], kind: Orphan['kind']): string[] {
  return orphans.filter((orphan) => orphan.kind === kind).map(({ id }) => id);
}

function isItem(kind: Orphan['kind']): kind is LibraryKind {
  return kind !== 'model' && kind !== 'project';
}
