// Records of the platform fifty a request, each file put to its signed address and confirmed alone: models, props
// and decals are all made so.
import { plainText } from '../../api/plain-text.ts';
import { LinkExpiredError } from '../../api/transfer-errors.ts';
import type { NodeContext } from '../../nodes/node-context.ts';
import type { AssetResult, Json, Refs, StepAsset } from '../../plan/types.ts';
import { idFields } from '../../store/platform-things.ts';
import type { Answers, AnswerTo } from '../submit/answers.ts';
import { splitCall, withoutResult } from '../submit/split-call.ts';
import { resend, type Submitted, submitOnce } from '../submit/submit-once.ts';
import { abandonMade, removeMade, renewalsAtMost } from './abandoned.ts';
import { uploadFile } from './upload-file.ts';

type RecordKind = 'model' | 'prop' | 'decal';

/** What is particular to a kind. */
export interface Filling<A extends StepAsset> {
  kind: RecordKind;
  connector: string;
  /** Code of a record that the platform did not make. */
  missing: string;
  /** Items of the creating request, one for each asset. */
  itemsOf(assets: readonly A[]): Json[];
  /** Results of the assets that an earlier attempt has made, filled and confirmed. */
  alreadyUp(assets: readonly A[], refs: Answers): Promise<AssetResult[]>;
  confirm(asset: A, made: Refs): Promise<AssetResult>;
}

interface Link {
  uploadUrl?: string | undefined;
  /** Of a decal: storage takes the file as exactly this. */
  contentType?: string | undefined;
}

type CreateId = (typeof operations)[RecordKind];

const operations = {
  model: 'createModels',
  prop: 'createProps',
  decal: 'createDecals',
} as const;

export async function fillRecords<A extends StepAsset>(
  assets: readonly A[],
  filling: Filling<A>,
  context: NodeContext,
): Promise<AssetResult[]> {
  return splitCall(assets, (part) => createAndFill(part, filling, context, 0));
}

/** @param epoch times that the records were made anew. */
async function createAndFill<A extends StepAsset>(
  assets: readonly A[],
  filling: Filling<A>,
  context: NodeContext,
  epoch: number,
): Promise<AssetResult[]> {
  const { kind } = filling;
  const submitted = await submitOnce(
    {
      operation: operations[kind],
      body: { [`${kind}s`]: filling.itemsOf(assets) },
      assets,
      epoch,
      purpose: `${kind}s`,
    },
    context,
  );
  const { intent, refs, answer } = submitted;
  const results = answer === null ? await filling.alreadyUp(assets, refs) : [];
  if (intent.state !== 'abandoned') {
    const open = withoutResult(assets, results);
    results.push(...(await fill(open, filling, submitted, context, epoch < renewalsAtMost)));
  }
  const left = withoutResult(assets, results);
  if (left.length === 0) return results;
  const orphans = left.map(({ key }) => refs[key]);
  await abandonMade(kind, intent, orphans, context);
  return [...results, ...(await createAndFill(left, filling, context, epoch + 1))];
}

/** Assets that are not in the results need new records: the addresses of theirs have died. */
async function fill<A extends StepAsset>(
  assets: readonly A[],
  filling: Filling<A>,
  { intent, refs, answer }: Submitted<CreateId>,
  context: NodeContext,
  mayRenew: boolean,
): Promise<AssetResult[]> {
  if (assets.length === 0) return [];
  const { kind, missing } = filling;
  const idField = idFields[kind];
  const live = answer ?? (await resend(operations[kind], intent, context)).answer;
  const links = linksIn(live);
  // A key that the platform has forgotten (24 h) makes other records than the first time.
  const known = assets.flatMap(({ key }) => refs[key]?.[idField] ?? []);
  if (mayRenew && !known.every((id) => links.has(id))) return [];
  const results = await context.transfers.each(assets, async (asset) => {
    const made = refs[asset.key];
    const link = links.get(made?.[idField] ?? '');
    if (made === undefined || link === undefined) return notMade(asset.key, missing, live.errors);
    try {
      const result = await send(asset, filling, { made, link }, context);
      if (result.outcome === 'failed') await removeMade(kind, made, context);
      return result;
    } catch (error) {
      if (!(error instanceof LinkExpiredError) || !mayRenew) throw error;
      return null;
    }
  });
  return results.filter((result) => result !== null);
}

/** By the ids of the records. */
function linksIn(answer: AnswerTo<CreateId>): Map<string, Link> {
  if ('models' in answer) return new Map(answer.models.map((link) => [link.modelId, link]));
  if ('props' in answer) return new Map(answer.props.map((link) => [link.propId, link]));
  return new Map(answer.decals.map((link) => [link.decalId, link]));
}

async function send<A extends StepAsset>(
  asset: A,
  filling: Filling<A>,
  { made, link }: { made: Refs; link: Link },
  context: NodeContext,
): Promise<AssetResult> {
  const { uploadUrl, contentType } = link;
  if (uploadUrl === undefined) return notMade(asset.key, filling.missing, withoutAddress);
  const failure = await uploadFile(asset, uploadUrl, filling.connector, context, contentType);
  return failure ?? filling.confirm(asset, made);
}

/** A record to which no file can come. */
export const withoutAddress = ['the platform gave no address to send the file to'];

/** What the platform did not make, with its reason where it gave one. */
export function notMade(key: string, code: string, errors: string[] | undefined): AssetResult {
  const said = plainText(errors?.join('; ') ?? '');
  const message = said || 'the platform made no record of it and gave no reason';
  return { key, outcome: 'failed', code, message };
}
