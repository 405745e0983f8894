// Records of the platform fifty a request, each file put to its signed address and confirmed alone: models, props
// and decals are all made so.
import { plainText } from '../../api/plain-text.ts';
import type { Again, Filled, Group, Way } from '../../capabilities/models/into-records.ts';
import type { KnownFailure } from '../../failures/define.ts';
import { fail } from '../../failures/fail.ts';
import type { AssetResult, Json, Refs, StepAsset } from '../../plan/types.ts';
import { idFields } from '../../store/records/platform-things.ts';
import type { NodeContext } from '../node-context.ts';
import type { AnswerTo } from '../submit/answers.ts';
import { leftoversOf } from '../submit/looks/leftovers.ts';
import { splitCall } from '../submit/split-call.ts';
import { type Submitted, submitOnce } from '../submit/submit-once.ts';
import { liveAnswer } from './call-links.ts';
import { putEach, removeUnused, type Standing, sortGroup } from './fill-group.ts';
import { uploadFile } from './upload-file.ts';

type RecordKind = 'model' | 'prop' | 'decal';

/** What is particular to a kind. */
export interface Filling<A extends StepAsset> {
  kind: RecordKind;
  connector: string;
  /** Of a record that the platform did not make. */
  missing: KnownFailure;
  /** Items of the creating request, one for each asset. */
  itemsOf(assets: readonly A[]): Json[];
  /** How far the records are that an earlier attempt has made, by id. */
  standingsOf(ids: readonly string[]): Promise<ReadonlyMap<string, Standing>>;
  confirm(asset: A, made: Refs): Promise<AssetResult>;
}

export const creations = {
  model: 'createModels',
  prop: 'createProps',
  decal: 'createDecals',
} as const;

export function recordsWay<A extends StepAsset>(filling: Filling<A>, context: NodeContext): Way<A> {
  return {
    operation: creations[filling.kind],
    create: (assets, again) => create(assets, filling, again, context),
    fill: (group, refused) => fill(group, filling, refused, context),
  };
}

async function create<A extends StepAsset>(
  assets: readonly A[],
  filling: Filling<A>,
  again: Again,
  context: NodeContext,
): Promise<{ groups: Group<A>[]; results: AssetResult[] }> {
  const groups: Group<A>[] = [];
  const results = await splitCall(
    assets,
    async (part) => {
      const { kind } = filling;
      const operation = creations[kind];
      const body = { [`${kind}s`]: filling.itemsOf(part) };
      const submission = { operation, body, assets: part, purpose: `${kind}s`, ...again };
      groups.push({ call: await submitOnce(submission, context), assets: [...part] });
      return [];
    },
    context,
  );
  return { groups, results };
}

async function fill<A extends StepAsset>(
  group: Group<A>,
  filling: Filling<A>,
  refused: ReadonlySet<string>,
  context: NodeContext,
): Promise<Filled<A>> {
  const { call } = group;
  const { kind, connector } = filling;
  const idOf = ({ key }: StepAsset) => call.refs[key]?.[idFields[kind]];
  const assets = group.assets.filter((asset) => idOf(asset) !== undefined);
  const unmade = group.assets.filter((one) => idOf(one) === undefined && !refused.has(one.key));
  const standings = await standingsOf({ call, assets }, filling);
  const sorted = await sortGroup({ call, assets }, kind, standings, refused, context);
  const isAsked = sorted.open.length > 0 || unmade.length > 0;
  const live = isAsked ? await liveAnswer(creations[kind], call, context) : null;
  const links = linksIn(live);
  const put = await putEach(
    sorted.open,
    async (asset) => {
      const link = links.get(idOf(asset) ?? '');
      if (link === undefined) return 'unfilled';
      const { uploadUrl, contentType } = link;
      if (uploadUrl === undefined) return notMade(asset.key, filling.missing, withoutAddress);
      const failure = await uploadFile(asset, uploadUrl, connector, context, contentType);
      return failure ?? filling.confirm(asset, call.refs[asset.key] ?? {});
    },
    context,
  );
  await removeUnused(kind, call.refs, put, context);
  const missing = await unmadeOf(unmade, call, live?.errors, filling, context);
  return {
    results: [...sorted.results, ...put.results, ...missing],
    unfilled: [...sorted.unfilled, ...put.unfilled],
  };
}

interface Link {
  uploadUrl?: string | undefined;
  /** Of a decal: storage takes the file as exactly this. */
  contentType?: string | undefined;
}

/** By the ids of the records. */
function linksIn(answer: AnswerTo<(typeof creations)[RecordKind]> | null): Map<string, Link> {
  if (answer === null) return new Map();
  if ('models' in answer) return new Map(answer.models.map((link) => [link.modelId, link]));
  if ('props' in answer) return new Map(answer.props.map((link) => [link.propId, link]));
  return new Map(answer.decals.map((link) => [link.decalId, link]));
}

/** By asset key; of a call whose answer has just come all records are new. */
async function standingsOf<A extends StepAsset>(
  { call, assets }: Group<A>,
  filling: Filling<A>,
): Promise<Map<string, Standing>> {
  if (call.answer !== null || assets.length === 0) return new Map();
  const idOf = ({ key }: A) => call.refs[key]?.[idFields[filling.kind]] ?? '';
  const standings = await filling.standingsOf(assets.map(idOf));
  return new Map(assets.map((asset) => [asset.key, standings.get(idOf(asset)) ?? { is: 'gone' }]));
}

/** Assets without a record. Where the platform gives no reason it may have made one whose link nobody has. */
async function unmadeOf<A extends StepAsset>(
  assets: readonly A[],
  { intent, refs }: Submitted,
  errors: readonly string[] | undefined,
  { missing }: Filling<A>,
  context: NodeContext,
): Promise<AssetResult[]> {
  if (assets.length === 0) return [];
  const leftovers = errors === undefined ? await leftoversOf(intent, refs, context) : null;
  return assets.map(({ key }) => {
    const made = leftovers?.get(key)?.join(' and ');
    const left = made ? `; ${made} of its name may be left of it` : '';
    return notMade(key, missing, errors?.join('; '), left);
  });
}

/** A record to which no file can come. */
export const withoutAddress = 'the platform gave no address to send the file to';

/** What the platform did not make, with its reason where it gave one. */
export function notMade(key: string, failure: KnownFailure, reason = '', more = ''): AssetResult {
  const said = plainText(reason) || 'the platform made no record of it and gave no reason';
  return fail(failure, key, `${said}${more}`);
}
