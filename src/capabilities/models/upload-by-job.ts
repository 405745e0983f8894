// Uploads up to 50 files with two requests: a unified job without projects or renders, and one confirmation.
import { itemsOf } from '../../api/answer-parts.ts';
import { contentOrMissing, refusalOf } from '../../api/refusal.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import type { AnswerTo } from '../../machinery/submit/creation.ts';
import type { EarlierCalls } from '../../machinery/submit/earlier-calls.ts';
import { type Submitted, submitOnce } from '../../machinery/submit/submit-once.ts';
import { liveAnswer, movedOf } from '../../machinery/uploads/call-links.ts';
import {
  putEach,
  removeUnused,
  type Standing,
  sortGroup,
} from '../../machinery/uploads/fill-group.ts';
import { notMade, withoutAddress } from '../../machinery/uploads/fill-records.ts';
import {
  type Again,
  type Files,
  type Filled,
  type Group,
  putIntoRecords,
} from '../../machinery/uploads/into-records.ts';
import { isUp, uploadFile } from '../../machinery/uploads/upload-file.ts';
import { fileTypeOf, uploadNames } from '../../machinery/uploads/upload-names.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/bounded.ts';
import { confirmJobUploads, createJob } from './creations.ts';
import { modelFailures } from './failures.ts';
import { modelLooks } from './model-board.ts';
import { confirmModel, type IngestConfig, modelStandings } from './model-records.ts';

type SubmittedJob = Submitted<'createJob'>;

/** `left`: assets that no job accepted; they are uploaded one by one. */
export async function uploadByJob(
  files: Files<StepAsset>,
  config: IngestConfig,
  context: NodeContext,
): Promise<{ results: AssetResult[]; left: StepAsset[] }> {
  const left: StepAsset[] = [];
  const results = await putIntoRecords(
    files,
    {
      creation: createJob,
      async create(assets, again) {
        const call = await sendJob(assets, again, context).catch(nullWhereRefused);
        if (call === null) left.push(...assets);
        return { groups: call === null ? [] : [{ call, assets: [...assets] }], results: [] };
      },
      fill({ call, assets }, refused) {
        const isTaken = ({ key }: StepAsset) => call.refs[key]?.modelId !== undefined;
        left.push(...assets.filter((one) => !isTaken(one) && !refused.has(one.key)));
        const group = { call, assets: assets.filter(isTaken) };
        return fillJob(group, confirmedOf(call, files.earlier), refused, config, context);
      },
    },
    context,
  );
  return { results, left };
}

/** One bad file makes the platform refuse the whole job. Returns null then, so that the files are uploaded one by one. */
function nullWhereRefused(error: unknown): null {
  if (refusalOf(error, contentOrMissing)) return null;
  throw error;
}

function sendJob(
  assets: readonly StepAsset[],
  again: Again,
  context: NodeContext,
): Promise<SubmittedJob> {
  const names = uploadNames(assets);
  const models = assets.map(({ key, source }) => ({
    fileName: names.get(key) ?? key,
    fileType: fileTypeOf(source.path) ?? '',
    name: key,
  }));
  const body = { createProjects: false, models };
  return submitOnce({ creation: createJob, body, assets, purpose: 'job', ...again }, context);
}

/** Keys of the assets for which the job was confirmed. A job is confirmed once, for the files uploaded by then. */
function confirmedOf(call: SubmittedJob, { calls }: EarlierCalls): ReadonlySet<string> {
  const confirms = calls.filter(({ intent }) => intent.of === call.intent.key);
  return new Set(confirms.flatMap(({ about }) => [...about]));
}

async function fillJob(
  group: Group<StepAsset, 'createJob'>,
  confirmed: ReadonlySet<string>,
  refused: ReadonlySet<string>,
  { connector }: IngestConfig,
  context: NodeContext,
): Promise<Filled<StepAsset>> {
  const { call } = group;
  const standings = await standingsOf(group, confirmed, context);
  const sorted = await sortGroup(group, 'model', standings, refused, context);
  if (sorted.open.length === 0) return sorted;
  const moved = await movedOf(call, context);
  const goingOf = ({ key }: StepAsset) => ({ id: call.refs[key]?.modelId ?? '', moved });
  const job = await jobOf(call, sorted.open, context);
  const urls = new Map(job?.models.map(({ id, uploadUrl }) => [id, uploadUrl]));
  const put = await putEach(
    sorted.open,
    async (asset) => {
      const going = goingOf(asset);
      if (isUp(asset, going, context)) return 'up';
      if (!urls.has(going.id)) return 'unfilled';
      const url = urls.get(going.id);
      if (url === undefined)
        return notMade(asset.key, modelFailures.MODEL_NOT_CREATED, withoutAddress);
      const target = { url, connectorName: connector };
      return (await uploadFile(asset, target, going, context)) ?? 'up';
    },
    context,
  );
  // The job was confirmed for other files already, or its links have expired.
  const isOver = confirmed.size > 0 || job === null;
  const ended = await confirm(isOver ? null : job.jobId, call, put.up, context);
  const results = [...put.results, ...ended];
  await removeUnused('model', call.refs, { results, unfilled: put.unfilled }, context);
  return {
    results: [...sorted.results, ...results],
    unfilled: [...sorted.unfilled, ...put.unfilled],
  };
}

/** Upload statuses by asset key. Empty for a job that was just created: all its records are new. */
async function standingsOf(
  { call, assets }: Group<StepAsset, 'createJob'>,
  confirmed: ReadonlySet<string>,
  context: NodeContext,
): Promise<Map<string, Standing>> {
  const standings = new Map<string, Standing>();
  for (const key of confirmed) standings.set(key, { is: 'up' });
  if (call.answer !== null) return standings;
  const idOf = ({ key }: StepAsset) => call.refs[key]?.modelId ?? '';
  const open = assets.filter(({ key }) => !confirmed.has(key));
  const seen = await modelStandings(open.map(idOf), context);
  for (const asset of open) standings.set(asset.key, seen.get(idOf(asset)) ?? { is: 'gone' });
  return standings;
}

/** The job with its upload links, including links missing from the create response; null if the links have expired. */
async function jobOf(
  call: SubmittedJob,
  open: readonly StepAsset[],
  context: NodeContext,
): Promise<AnswerTo<'createJob'> | null> {
  const job = await liveAnswer(createJob, call, context);
  const told = new Set(job?.models.map(({ id }) => id));
  if (job === null || open.every(({ key }) => told.has(call.refs[key]?.modelId ?? ''))) return job;
  const { client, requests: scope, signal } = context;
  const options = { priority: 'create', scope, signal } as const;
  const { models = [] } = await client.getJob({ params: { jobId: job.jobId } }, options);
  return { jobId: job.jobId, models: itemsOf([...job.models, ...models]) };
}

/** @param jobId null to confirm each file individually */
async function confirm(
  jobId: string | null,
  { intent, refs }: SubmittedJob,
  assets: readonly StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  if (assets.length === 0) return [];
  const purpose = `confirm/${intent.key}`;
  const work = { body: null, assets, of: intent.key, epoch: 0, purpose };
  // If the platform refuses the confirmation of the job, each file is confirmed individually.
  const confirmed =
    jobId === null
      ? null
      : await submitOnce(
          { creation: confirmJobUploads, params: { jobId }, ...work },
          context,
        ).catch(nullWhereRefused);
  const results =
    confirmed === null
      ? await mapBounded(assets, (asset) => confirmModel(asset, refs[asset.key] ?? {}, context))
      : assets.map(({ key }): AssetResult => ({ key, outcome: 'done', refs: refs[key] ?? {} }));
  modelLooks(context.lookout).made(assets.flatMap(({ key }) => refs[key]?.modelId ?? []));
  return results;
}
