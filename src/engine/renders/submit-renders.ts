// Submits render jobs, 50 projects a request, and starts failed ones again.
import { unreadableCode } from '../../api/errors.ts';
import type { NodeContext } from '../../nodes/node-context.ts';
import { shortHash } from '../../plan/short-hash.ts';
import type { AssetResult, Json, Refs, StepAsset } from '../../plan/types.ts';
import { mapBounded } from '../../store/bounded.ts';
import { groupBy } from '../../store/group-by.ts';
import type { Answers } from '../submit/answers.ts';

import { type EarlierCalls, earlierCalls } from '../submit/earlier-calls.ts';
import { splitCall } from '../submit/split-call.ts';
import { submitOnce } from '../submit/submit-once.ts';
import { jobRefs } from './render-ends.ts';
import { retryRender } from './retry-render.ts';

export async function submitRenders(
  config: { settings: Record<string, unknown> },
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const again = assets.filter(({ refs }) => refs.failedJob && refs.jobId);
  const first = assets.filter(({ refs }) => !refs.failedJob);
  const earlier = await earlierCalls(first, ['createRenders'], context);
  const asked = askedOf(config.settings);
  const ofAsset = (asset: StepAsset) => ({ ...asked, ...alikeOf(asset, config.settings) });
  const results: AssetResult[] = [];
  const open: StepAsset[] = [];
  for (const asset of first) {
    const refs = earlier.refs[asset.key];
    if (asset.refs.jobId) results.push({ key: asset.key, outcome: 'done' });
    else if (refs)
      results.push({ key: asset.key, outcome: 'done', refs: { ...refs, ...ofAsset(asset) } });
    else open.push(asset);
  }
  const named: (keyof Refs)[] = ['projectId'];
  // Settings are a request's, so assets share one only where they draw the same variants.
  const groups = [...groupBy(open, (asset) => settingsOf(asset, config.settings))];
  const submitted = await mapBounded(
    groups,
    ([settings, group]) =>
      splitCall(
        group,
        async (part) => {
          const { made, missing } = await createRenders(
            part,
            JSON.parse(settings),
            earlier,
            context,
          );
          return part.map((asset) =>
            startedOf(asset, made[asset.key], { asked: ofAsset(asset), missing }),
          );
        },
        context,
        named,
      ),
    { signal: context.signal },
  );
  results.push(...submitted.flat());
  for (const asset of again) {
    results.push(
      ...(await splitCall([asset], () => retryRender(asset, context), context, [...jobRefs])),
    );
  }
  return results;
}

/** The settings of an asset's render as JSON text; chosen variants take the place of what they say about variants. */
function settingsOf({ refs: { variants } }: StepAsset, settings: Record<string, unknown>): string {
  const chosen = variants ? { renderVariants: true, variantsToRender: variants } : {};
  return JSON.stringify({ ...settings, ...chosen });
}

/** What files can be named by: the bookmark or shot, where there is one. */
function askedOf({ bookmarksToRender, shotsToRender }: Record<string, unknown>): Refs {
  const [bookmark, ...bookmarks] = Array.isArray(bookmarksToRender) ? bookmarksToRender : [];
  const [shot, ...shots] = Array.isArray(shotsToRender) ? shotsToRender : [];
  return {
    ...(bookmarks.length === 0 && typeof bookmark === 'string' ? { bookmark } : {}),
    ...(shots.length === 0 && typeof shot === 'string' ? { shot } : {}),
  };
}

/**
 * Jobs of one mark have as many outputs each: the template, the settings and the number of variants decide. Where all
 * variants are drawn, and not the file alone has decided which there are, nobody knows their number.
 */
function alikeOf({ refs }: StepAsset, settings: Record<string, unknown>): Refs {
  const { variants, drawn, colorway, templateId = '' } = refs;
  const count = variants?.length ?? (settings['renderVariants'] === false ? 0 : null);
  if (count === null && (drawn === undefined || colorway !== undefined)) return {};
  return { alike: shortHash(JSON.stringify([settings, templateId, count, drawn ?? ''])) };
}

const notStarted = {
  code: 'RENDER_NOT_STARTED',
  message: 'the platform started no render job for the project',
};

/** Whether it was is worth a look: doing it again is paid for again. */
const perhapsStarted = {
  code: unreadableCode,
  message:
    'createRenders: a job of the answer cannot be read, and may be of this project; look on the platform whether it renders before it is done again',
};

type Missing = typeof notStarted;

async function createRenders(
  assets: readonly StepAsset[],
  settings: Json,
  { doubtSince }: EarlierCalls,
  context: NodeContext,
): Promise<{ made: Answers; missing: Missing }> {
  const { refs, answer } = await submitOnce(
    {
      operation: 'createRenders',
      body: { projectIds: assets.map((asset) => asset.refs.projectId ?? ''), settings },
      assets,
      doubtSince: doubtSince(assets),
      epoch: 0,
      purpose: 'renders',
    },
    context,
  );
  return { made: refs, missing: (answer?.jobs.unread ?? 0) > 0 ? perhapsStarted : notStarted };
}

/** Fewer jobs than ids may come back (duplicates are dropped); the missing ones are told by name. */
function startedOf(
  { key }: StepAsset,
  made: Refs | undefined,
  { asked, missing }: { asked: Refs; missing: Missing },
): AssetResult {
  if (made) return { key, outcome: 'done', refs: { ...made, ...asked } };
  return { key, outcome: 'failed', ...missing };
}
