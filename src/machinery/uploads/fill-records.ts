// Creates records fifty per request, uploads each file to its signed address and confirms it separately. Models, props and
// decals are all created this way.
import type { OperationId } from '../../api/operations/index.ts';
import { plainText } from '../../api/plain-text.ts';
import { idFields, type ThingKind } from '../../api/things.ts';
import type { KnownFailure } from '../../failures/define.ts';
import { fail } from '../../failures/fail.ts';
import type { Refs } from '../../plan/refs.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import type { NodeContext } from '../node-context.ts';
import type { AnswerTo, BodyOf, Creation } from '../submit/creation.ts';
import { leftoversOf } from '../submit/leftovers.ts';
import { splitCall } from '../submit/split-call.ts';
import { type Submitted, submitOnce } from '../submit/submit-once.ts';
import { liveAnswer, movedOf } from './call-links.ts';
import { putEach, removeUnused, type Standing, sortGroup } from './fill-group.ts';
import type { Again, Filled, Group, Way } from './into-records.ts';
import { isUp, uploadFile } from './upload-file.ts';

/** The part of an upload that depends on the kind of record. */
export interface Filling<A extends StepAsset, Id extends OperationId> {
  kind: ThingKind;
  creation: Creation<Id>;
  connector: string;
  /** Failure for a record that the platform did not create. */
  missing: KnownFailure;
  /** The body of the creating request, one item per asset. */
  bodyOf(assets: readonly A[]): BodyOf<Id>;
  /** Links by record id, and errors of records that were not created. */
  linksIn(answer: AnswerTo<Id>): {
    links: ReadonlyMap<string, Link>;
    errors?: readonly string[] | undefined;
  };
  /** Upload status, by id, of records that an earlier attempt has created. */
  standingsOf(ids: readonly string[]): Promise<ReadonlyMap<string, Standing>>;
  confirm(asset: A, made: Refs): Promise<AssetResult>;
}

/** Upload address of a record's file. */
export interface Link {
  uploadUrl?: string | undefined;
  /** Set for decals: storage requires exactly this content type. */
  contentType?: string | undefined;
}

export function recordsWay<A extends StepAsset, Id extends OperationId>(
  filling: Filling<A, Id>,
  context: NodeContext,
): Way<A, Id> {
  return {
    creation: filling.creation,
    create: (assets, again) => create(assets, filling, again, context),
    fill: (group, refused) => fill(group, filling, refused, context),
  };
}

async function create<A extends StepAsset, Id extends OperationId>(
  assets: readonly A[],
  filling: Filling<A, Id>,
  again: Again,
  context: NodeContext,
): Promise<{ groups: Group<A, Id>[]; results: AssetResult[] }> {
  const groups: Group<A, Id>[] = [];
  const results = await splitCall(
    assets,
    async (part) => {
      const { kind, creation } = filling;
      const submission = {
        creation,
        body: filling.bodyOf(part),
        assets: part,
        purpose: `${kind}s`,
        ...again,
      };
      groups.push({ call: await submitOnce(submission, context), assets: [...part] });
      return [];
    },
    context,
  );
  return { groups, results };
}

async function fill<A extends StepAsset, Id extends OperationId>(
  group: Group<A, Id>,
  filling: Filling<A, Id>,
  refused: ReadonlySet<string>,
  context: NodeContext,
): Promise<Filled<A>> {
  const { call } = group;
  const { kind, creation, connector } = filling;
  const idOf = ({ key }: StepAsset) => call.refs[key]?.[idFields[kind]];
  const assets = group.assets.filter((asset) => idOf(asset) !== undefined);
  const unmade = group.assets.filter((one) => idOf(one) === undefined && !refused.has(one.key));
  const standings = await standingsOf({ call, assets }, filling);
  const sorted = await sortGroup({ call, assets }, kind, standings, refused, context);
  const moved = await movedOf(call, context);
  const goingOf = (asset: A) => ({ id: idOf(asset) ?? '', moved });
  const left = sorted.open.filter((asset) => !isUp(asset, goingOf(asset), context));
  const isAsked = left.length > 0 || unmade.length > 0;
  const live = isAsked ? await liveAnswer(creation, call, context) : null;
  const { links, errors } = live === null ? noLinks : filling.linksIn(live);
  const put = await putEach(
    sorted.open,
    async (asset) => {
      const confirm = () => filling.confirm(asset, call.refs[asset.key] ?? {});
      if (!left.includes(asset)) return confirm();
      const link = links.get(idOf(asset) ?? '');
      if (link === undefined) return 'unfilled';
      const { uploadUrl: url, contentType } = link;
      if (url === undefined) return notMade(asset.key, filling.missing, withoutAddress);
      const target = { url, connectorName: connector, contentType };
      return (await uploadFile(asset, target, goingOf(asset), context)) ?? confirm();
    },
    context,
  );
  await removeUnused(kind, call.refs, put, context);
  const missing = await unmadeOf(unmade, call, errors, filling, context);
  return {
    results: [...sorted.results, ...put.results, ...missing],
    unfilled: [...sorted.unfilled, ...put.unfilled],
  };
}

/** Used if the links have expired. */
const noLinks: ReturnType<Filling<StepAsset, OperationId>['linksIn']> = { links: new Map() };

/** Upload status by asset key; empty if the response has just arrived, because then all records are new. */
async function standingsOf<A extends StepAsset, Id extends OperationId>(
  { call, assets }: Group<A, Id>,
  filling: Filling<A, Id>,
): Promise<Map<string, Standing>> {
  if (call.answer !== null || assets.length === 0) return new Map();
  const idOf = ({ key }: A) => call.refs[key]?.[idFields[filling.kind]] ?? '';
  const standings = await filling.standingsOf(assets.map(idOf));
  return new Map(assets.map((asset) => [asset.key, standings.get(idOf(asset)) ?? { is: 'gone' }]));
}

/** Results for assets without a record. If the platform gives no reason it may have created a record whose link is lost. */
async function unmadeOf<A extends StepAsset, Id extends OperationId>(
  assets: readonly A[],
  { intent, refs }: Submitted<Id>,
  errors: readonly string[] | undefined,
  { creation, missing }: Filling<A, Id>,
  context: NodeContext,
): Promise<AssetResult[]> {
  if (assets.length === 0) return [];
  const leftovers =
    errors === undefined ? await leftoversOf(intent, creation, refs, context) : null;
  return assets.map(({ key }) => {
    const idOfAnother = refs[key]?.idOfAnother;
    if (idOfAnother !== undefined) return { key, outcome: 'done', refs: { idOfAnother } };
    const made = leftovers?.get(key)?.join(' and ');
    const left = made ? `; ${made} of its name may be left of it` : '';
    return notMade(key, missing, errors?.join('; '), left);
  });
}

/** Reason for a record that cannot get a file. */
export const withoutAddress = 'the platform gave no upload address';

/** The failure for a record that the platform did not create, with the platform's reason if it gave one. */
export function notMade(key: string, failure: KnownFailure, reason = '', more = ''): AssetResult {
  const said = plainText(reason) || 'the platform created no record for it and gave no reason';
  return fail(failure, key, `${said}${more}`);
}
