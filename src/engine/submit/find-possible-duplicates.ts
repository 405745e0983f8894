// Finds possible duplicates of a call that was sent twice: resources with the same names, created since, that are not
// in the response. They are useless, because their upload links are lost. They are reported but never deleted, because
// another pipeline may be uploading into records with the same names.
import type { OperationId } from '../../api/operations/index.ts';
import {
  findCreatedKind,
  findListOperation,
  idFields,
  type ResourceKind,
} from '../../api/resources.ts';
import type { Intent } from '../../store/calls/intents.ts';
import type { NodeContext } from '../node-context.ts';
import { type IdsByAsset, readOrElse } from './call-outcome.ts';
import { bodyOf, type Creation } from './creation.ts';
import { listCreatedSince } from './list-created-since.ts';

interface NamedResource {
  id: string;
  name: string | undefined;
}

type ListedResource = { [Field in (typeof idFields)[ResourceKind]]?: string } & {
  name?: string | undefined;
};

/** Returns descriptions by asset key, empty for an asset without duplicates. Null if no list shows the new records. */
export async function findPossibleDuplicates<Id extends OperationId>(
  intent: Intent,
  creation: Creation<Id>,
  platformIds: IdsByAsset,
  context: NodeContext,
): Promise<Map<string, string[]> | null> {
  const kind = findCreatedKind(creation.operation);
  if (kind === null || creation.names === undefined) return null;
  const listedResources = await readOrElse(null, () => listCreated(kind, intent, context));
  const idsIn = (idsByAsset: IdsByAsset) =>
    Object.values(idsByAsset).flatMap((ids) => ids[idFields[kind]] ?? []);
  const ownIds = new Set(idsIn(platformIds));
  // A list that does not show what was just created cannot be trusted to show earlier duplicates.
  const visibleResources = listedResources?.filter(({ id }) => ownIds.has(id)) ?? [];
  if (listedResources === null || visibleResources.length < ownIds.size) return null;
  // All calls of the shard are read, because the materials of one shard may share a name.
  const calls = await context.store.callsOf(context.shard);
  const knownIds = new Set([...ownIds, ...calls.flatMap(({ result = {} }) => idsIn(result))]);
  // Names are trimmed, because the platform trims them too.
  const names = creation.names(bodyOf<Id>(intent)).map((name) => name?.trim());
  return new Map(
    intent.assets.map((key, index) => {
      const sameNamed = listedResources.filter(
        ({ id, name }) => !knownIds.has(id) && name === names[index],
      );
      return [key, sameNamed.map(({ id }) => `${kind} ${id}`)];
    }),
  );
}

/** Lists resources of a kind created since the call. Null if the platform has no such list or the list is too long. */
async function listCreated(
  kind: ResourceKind,
  intent: Intent,
  context: NodeContext,
): Promise<NamedResource[] | null> {
  const list = findListOperation(kind);
  if (list === null) return null;
  const { id: operation, lists } = list;
  const { client } = context;
  const items = await listCreatedSince(
    {
      operation,
      isNewestFirst: lists.isNewestFirst,
      read: (query, options) => client.send(operation, { query }, options),
    },
    intent,
    context,
  );
  const toNamed = (item: ListedResource) => ({ id: item[idFields[kind]] ?? '', name: item.name });
  return items?.map(toNamed) ?? null;
}
