// What a call that was sent twice may have made the first time: records of the same names, made since, of which its
// answer does not tell. Whose they are nobody can tell: another pipeline may just be filling records of these names. So
// they are told of and never deleted, and since their upload links are lost they are of no use.
import type { OperationId } from '../../../api/operations/index.ts';
import type { Intent } from '../../../store/calls/intents.ts';
import { idFields } from '../../../store/records/platform-things.ts';
import type { NodeContext } from '../../node-context.ts';
import { type Answers, bodyOf } from '../answers.ts';
import { orElse } from './finding.ts';
import { listedSince } from './listed-since.ts';

type Kind = 'model' | 'prop' | 'decal' | 'material';

interface Named {
  id: string;
  name: string | undefined;
}

const kinds: Partial<Record<OperationId, Kind>> = {
  createJob: 'model',
  createModels: 'model',
  createProps: 'prop',
  createDecals: 'decal',
  createMaterial: 'material',
};

/** By asset key, also for assets without any; null where the list does not tell. */
export async function leftoversOf(
  intent: Intent,
  refs: Answers,
  context: NodeContext,
): Promise<Map<string, string[]> | null> {
  const kind = kinds[intent.operation as OperationId];
  if (kind === undefined) return null;
  const listed = await orElse(null, () => madeSince(kind, intent, context));
  const idsIn = (made: Answers) => Object.values(made).flatMap((one) => one[idFields[kind]] ?? []);
  const ours = new Set(idsIn(refs));
  // A list that does not show what was just made does not show what was made before either.
  const shown = listed?.filter(({ id }) => ours.has(id)) ?? [];
  if (listed === null || shown.length < ours.size) return null;
  // Materials of one shard may share a name.
  const calls = await context.store.callsOf(context.shard);
  const known = new Set([...ours, ...calls.flatMap(({ answer = {} }) => idsIn(answer))]);
  const names = namesOf(intent, kind);
  return new Map(
    intent.assets.map((key, index) => {
      const alike = listed.filter(({ id, name }) => !known.has(id) && name === names[index]);
      return [key, alike.map(({ id }) => `${kind} ${id}`)];
    }),
  );
}

/** As the platform shows them: trimmed. */
function namesOf(intent: Intent, kind: Kind): (string | undefined)[] {
  const body = bodyOf<Record<string, unknown>>(intent);
  const items = kind === 'material' ? [body] : (body[`${kind}s`] as { name?: unknown }[]);
  return items.map(({ name }) => (typeof name === 'string' ? name.trim() : undefined));
}

const lists = {
  model: { operation: 'listModels', isNewestFirst: true },
  material: { operation: 'listMaterials', isNewestFirst: true },
  // In which order these come is not shown.
  prop: { operation: 'listProps', isNewestFirst: false },
  decal: { operation: 'listDecals', isNewestFirst: false },
} as const;

async function madeSince(
  kind: Kind,
  intent: Intent,
  context: NodeContext,
): Promise<Named[] | null> {
  const { operation, isNewestFirst } = lists[kind];
  const { client } = context;
  const listed = await listedSince(
    {
      operation,
      isNewestFirst,
      read: (query, options) => client.send(operation, { query }, options),
    },
    intent,
    context,
  );
  const idField = idFields[kind];
  return (
    listed?.map(
      (item: Partial<Record<typeof idField, string>> & { name?: string | undefined }) => ({
        id: item[idField] ?? '',
        name: item.name,
      }),
    ) ?? null
  );
}
