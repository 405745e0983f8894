// Fifty files for two requests: a unified job without projects or renders, uploads, one confirmation.
import { LinkExpiredError } from '../../api/transfer-errors.ts';
import type { NodeContext } from '../../nodes/node-context.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import type { Intent } from '../../store/intents.ts';
import type { Answers, AnswerTo } from '../submit/answers.ts';
import { blamesContent } from '../submit/split-call.ts';
import { resend, submitOnce } from '../submit/submit-once.ts';
import { abandonMade, removeMade, renewalsAtMost } from './abandoned.ts';
import { notMade, withoutAddress } from './fill-records.ts';
import type { IngestConfig } from './ingest.ts';
import { uploadFile } from './upload-file.ts';
import { fileTypeOf, uploadNames } from './upload-names.ts';

/** `left`: assets that the job did not take; they go one by one. */
export async function uploadByJob(
  assets: StepAsset[],
  config: IngestConfig,
  context: NodeContext,
): Promise<{ results: AssetResult[]; left: StepAsset[] }> {
  if (assets.length === 0) return { results: [], left: [] };
  for (let epoch = 0; ; epoch += 1) {
    const group = await createJob(assets, epoch, context).catch(leftWhereRefused);
    if (group === null) return { results: [], left: assets };
    // Abandoned by an earlier attempt because its links had died.
    if (group.intent.state === 'abandoned') continue;
    try {
      return await fillJob(group, assets, config, context);
    } catch (error) {
      if (!(error instanceof LinkExpiredError) || epoch >= renewalsAtMost) throw error;
      await abandonMade('model', group.intent, Object.values(group.refs), context);
    }
  }
}

/** A job is refused as a whole though one of its files is to blame; alone each answers for itself. */
function leftWhereRefused(error: unknown): null {
  if (blamesContent(error)) return null;
  throw error;
}

interface Group {
  intent: Intent;
  refs: Answers;
  job: AnswerTo<'createJob'> | null;
}

async function createJob(assets: StepAsset[], epoch: number, context: NodeContext): Promise<Group> {
  const names = uploadNames(assets);
  const { intent, refs, answer } = await submitOnce(
    {
      operation: 'createJob',
      body: {
        createProjects: false,
        models: assets.map(({ key, source }) => ({
          fileName: names.get(key) ?? key,
          fileType: fileTypeOf(source.path) ?? '',
          name: key,
        })),
      },
      assets,
      epoch,
      purpose: 'job',
    },
    context,
  );
  return { intent, refs, job: answer };
}

async function fillJob(
  group: Group,
  assets: StepAsset[],
  config: IngestConfig,
  context: NodeContext,
): Promise<{ results: AssetResult[]; left: StepAsset[] }> {
  const taken = assets.filter(({ key }) => group.refs[key]?.modelId);
  const left = assets.filter(({ key }) => !group.refs[key]?.modelId);
  if (await isConfirmed(group, context))
    return { results: taken.map((asset) => done(asset, group)), left };
  // The key replays the first answer with its links, so nothing signed is ever written down.
  const job = group.job ?? (await resend('createJob', group.intent, context)).answer;
  const urls = new Map(job.models.map(({ id, uploadUrl }) => [id, uploadUrl]));
  const failures = await context.transfers.each(taken, async (asset) => {
    const url = urls.get(group.refs[asset.key]?.modelId ?? '');
    if (url === undefined) return notMade(asset.key, 'MODEL_NOT_CREATED', withoutAddress);
    return uploadFile(asset, url, config.connector, context);
  });
  const results = failures.filter((failure) => failure !== null);
  const uploaded = taken.filter((_, index) => failures[index] === null);
  if (uploaded.length > 0) await confirm(job.jobId, group, uploaded, context);
  const models = uploaded.flatMap(({ key }) => group.refs[key]?.modelId ?? []);
  context.lookout.models.made(models);
  // Their files never came.
  for (const { key } of results) await removeMade('model', group.refs[key], context);
  return { results: [...results, ...uploaded.map((asset) => done(asset, group))], left };
}

async function confirm(jobId: string, group: Group, uploaded: StepAsset[], context: NodeContext) {
  await submitOnce(
    {
      operation: 'confirmJobUploads',
      params: { jobId },
      body: null,
      assets: uploaded,
      epoch: 0,
      purpose: `confirm/${group.intent.key}`,
    },
    context,
  );
}

async function isConfirmed(group: Group, context: NodeContext): Promise<boolean> {
  // An intent that this attempt has just made cannot have been confirmed.
  if (group.job) return false;
  const intents = await context.store.intents(context.shard, context.step.id).list();
  const mine = new Set(group.intent.assets);
  return intents.some(
    ({ operation, state, assets }) =>
      operation === 'confirmJobUploads' && state === 'done' && assets.some((key) => mine.has(key)),
  );
}

function done(asset: StepAsset, group: Group): AssetResult {
  return { key: asset.key, outcome: 'done', refs: group.refs[asset.key] ?? {} };
}
