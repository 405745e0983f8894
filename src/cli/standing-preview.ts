// Checks whether the pictures that a run would only deliver again still exist at the destination or on the platform.
// Pictures that exist in neither place must be rendered again.
import type { Client } from '../api/client.ts';
import { isAnyAway } from '../capabilities/delivery/standing-files.ts';
import { connectorsOf } from '../capabilities/discovery-source.ts';
import { presentRefs } from '../capabilities/present-refs.ts';
import { openConnector } from '../connectors/index.ts';
import type { Refs } from '../plan/refs.ts';
import type { Standing } from '../plan/stages.ts';
import type { Plan } from '../plan/types.ts';
import { standingRefs } from '../store/claims/open-shard.ts';
import { mapBounded } from '../store/objects/bounded.ts';
import { worksOf } from '../store/records/earlier-work.ts';
import type { RefBook } from '../store/records/ref-book.ts';
import { beginOf, type ManifestAsset } from '../store/runs/manifest-asset.ts';
import { withPlatform } from './platform-client.ts';
import type { Preview } from './preview-assets.ts';
import { previewStore } from './preview-store.ts';
import type { Session } from './session.ts';

/** Only this many assets are checked at the destination. */
const lookedAtMost = 200;
/** Only for this many missing pictures the platform is asked, at one or two requests each. */
const askedAtMost = 20;

export interface StandingLook {
  /** Assets that start at the delivery stage. */
  assets: number;
  looked: number;
  /** Checked assets with a file missing at its destination. */
  away: number;
  /** Missing assets whose renders were looked up on the platform. */
  asked: number;
  /** Missing assets whose renders the platform no longer has either. */
  gone: number;
}

/** @returns null if no asset starts at delivery; otherwise the counts, and the assets with lost ones set back to an earlier stage */
export async function lookAtStanding(
  session: Session,
  plan: Plan,
  { assets }: Pick<Preview, 'assets'>,
): Promise<{ standing: StandingLook; assets: ManifestAsset[] } | null> {
  const some = assets.filter(isOnlyDelivered);
  if (some.length === 0) return null;
  const store = previewStore(plan);
  const known = await store.recipes.known();
  const { connectors } = plan;
  const places = { connectors, connectorNamed: connectorsOf(plan, openConnector) };
  const looked = some.slice(0, lookedAtMost);
  const look = async (asset: ManifestAsset) => {
    const record = await store.records.read(asset.moved?.record ?? asset.previous?.[0] ?? '');
    if (!record || !(await isAnyAway(record, known, places))) return [];
    const refs = await standingRefs(store, worksOf(record, store.refs), asset.source, plan.stages);
    return [{ asset, refs }];
  };
  const away = (await mapBounded(looked, look)).flat();
  const asked = (await isPlatformSet(session)) ? away.slice(0, askedAtMost) : [];
  const left = await leftOf(session, plan, asked, store.refs);
  return {
    standing: {
      assets: some.length,
      looked: looked.length,
      away: away.length,
      asked: asked.length,
      gone: left.size,
    },
    assets: assets.map((asset) => {
      const stands = left.get(asset);
      return stands ? { ...asset, stands } : asset;
    }),
  };
}

function isOnlyDelivered(asset: ManifestAsset): boolean {
  return beginOf(asset) === 'delivery';
}

async function isPlatformSet(session: Session): Promise<boolean> {
  const { baseUrl, apiKey } = await session.config();
  return baseUrl.value !== null && apiKey.value !== null;
}

/** Finds assets whose renders the platform no longer has, with the stages that remain valid for them. */
async function leftOf(
  session: Session,
  plan: Plan,
  asked: readonly { asset: ManifestAsset; refs: Refs }[],
  book: RefBook,
): Promise<Map<ManifestAsset, Standing>> {
  if (asked.length === 0) return new Map();
  const ask = (client: Client) =>
    mapBounded(asked, async ({ asset, refs }) => {
      const looks = { client, options: { priority: 'interactive' } as const };
      const present = await presentRefs({ refs, source: asset.source }, looks);
      const isThere = present.stands !== undefined;
      const done = book.done(present, refs.stands ?? []);
      const isUploaded = done.length === 0 && book.isUploaded(present);
      return isThere ? [] : [[asset, isUploaded ? (['source'] as const) : done] as const];
    });
  return new Map((await withPlatform(session, ask, plan.operations)).flat());
}

/** Formats the result if files are missing at their destination. */
export function standingWords({ assets, looked, away, asked, gone }: StandingLook): string {
  const some = looked < assets ? `${away} of the first ${looked}` : `${away} of ${assets}`;
  const from = gone < asked || asked === 0 ? 'they are downloaded from the platform again' : '';
  const lost =
    gone === 0
      ? ''
      : `${gone} of ${asked} ${gone === 1 ? 'is' : 'are'} not on the platform either and must be rendered again: allow it with \`run --yes\` or with \`limits: { renders }\` in the file`;
  return `${some} have files missing at their destination: ${[from, lost].filter(Boolean).join('; ')}`;
}
