// Pictures and decisions about them, in pages by shard, so that messages to workflows contain no keys.
import { omitUndefined } from '../../../plan/helpers/omit-undefined.ts';
import type { ConnectorSpec } from '../../../plan/types.ts';
import { JsonFolder } from '../../objects/json-folder.ts';
import type { JsonObjects } from '../../objects/json-objects.ts';
import { mapBounded } from '../../objects/map-bounded.ts';
import { hashOf, numberName, runFolder } from '../../objects/object-name.ts';
import { PromiseCache } from '../../objects/promise-cache.ts';

const maxCachedPages = 2_000;

export interface PictureLocation {
  connector: ConnectorSpec;
  /** Path below the connector. */
  path: string;
}

export interface ReviewPicture {
  /** Path below `ApprovalPage.review`. */
  path: string;
  /** Width and height are 0 for a video. */
  width: number;
  height: number;
  /** The delivered picture that the new one would replace. Absent if there is none. */
  before?: PictureLocation;
}

/** An asset that waits for a decision, with its pictures. */
export interface ReviewedAsset {
  key: string;
  pictures: ReviewPicture[];
}

/** Assets of a shard to be approved at one node. */
interface ApprovalPage {
  shard: number;
  node: string;
  /** Connector of the pictures. */
  review: ConnectorSpec;
  assets: ReviewedAsset[];
}

interface DecisionNote {
  /** Identity that the client states, as in the audit log. */
  by: string;
  /** Time in ISO 8601 format. */
  at: string;
  reason?: string;
}

export interface Decision extends DecisionNote {
  outcome: 'approved' | 'rejected';
}

/** Decisions of one person about assets of one shard and node. */
export interface DecisionPage extends DecisionNote {
  shard: number;
  node: string;
  /** Keys of the assets that were approved. */
  approved: string[];
  rejected: string[];
}

export class Approvals {
  readonly #shown: JsonFolder<ApprovalPage>;
  readonly #decisions: JsonFolder<DecisionPage>;
  readonly #usedLinks: JsonFolder<Pick<DecisionNote, 'by' | 'at'>>;
  /** Decision pages are cached, because they never change. */
  readonly #cachedPages = new PromiseCache<DecisionPage | null>(maxCachedPages);

  constructor(objects: JsonObjects, run: string) {
    const folder = `${runFolder(run)}/approvals`;
    this.#shown = new JsonFolder(objects, `${folder}/shown`, 'renderline/approval-page/v1');
    this.#decisions = new JsonFolder(objects, `${folder}/decisions`, 'renderline/decision-page/v1');
    this.#usedLinks = new JsonFolder(objects, `${folder}/links`, 'renderline/used-link/v1');
  }

  /** Stores a page of assets for people to decide about. A page of the same assets is replaced. */
  async show(page: ApprovalPage): Promise<void> {
    const name = hashOf(JSON.stringify([page.node, ...page.assets.map(({ key }) => key).sort()]));
    await this.#shown.write(`${shardName(page.shard)}/${name}`, page);
  }

  /** Returns the pages that `show` has stored, of a shard or of all shards. */
  shown(shard?: number): Promise<ApprovalPage[]> {
    return this.#shown.readAll(shard === undefined ? undefined : shardName(shard));
  }

  async decide(page: DecisionPage): Promise<void> {
    const { shard, node, approved, rejected, at } = page;
    const id = hashOf(JSON.stringify([node, approved, rejected, page.by]));
    // Names start with the time, so that they sort in the order of the decisions.
    const name = `${at.replaceAll(/[:.]/g, '-')}-${id}`;
    await this.#decisions.write(`${shardName(shard)}/${name}`, page);
  }

  /** Returns decisions about a node's assets, of one or all shards, by key. An asset's first decision stands. */
  async decisions(node: string, shard?: number): Promise<Map<string, Decision>> {
    const decisions = new Map<string, Decision>();
    for (const page of await this.#decisionPages(shard)) {
      if (page.node !== node) continue;
      const { by, at } = page;
      // If a page rejects assets, its reason is the reason for the rejections.
      const reasonFor = page.rejected.length > 0 ? 'rejected' : 'approved';
      for (const outcome of ['rejected', 'approved'] as const) {
        const reason = outcome === reasonFor ? page.reason : undefined;
        for (const key of page[outcome]) {
          if (!decisions.has(key))
            decisions.set(key, { outcome, by, at, ...omitUndefined({ reason }) });
        }
      }
    }
    return decisions;
  }

  async markLinkUsed(id: string, note: Pick<DecisionNote, 'by' | 'at'>): Promise<void> {
    await this.#usedLinks.write(hashOf(id), note, { ifAbsent: true });
  }

  async isLinkUsed(id: string): Promise<boolean> {
    return this.#usedLinks.exists(hashOf(id));
  }

  async #decisionPages(shard: number | undefined): Promise<DecisionPage[]> {
    const names = await this.#decisions.names(shard === undefined ? undefined : shardName(shard));
    const read = async (name: string) => {
      const page = await this.#cachedPages.getOrStart(name, () => this.#decisions.read(name));
      // A page that is listed before it can be read is read again.
      if (page === null) this.#cachedPages.forget(name);
      return page;
    };
    return (await mapBounded(names.sort(), read)).filter((page) => page !== null);
  }
}

function shardName(shard: number): string {
  return numberName(shard, 5);
}
