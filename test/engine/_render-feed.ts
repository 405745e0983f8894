// The platform's list of outputs, newest first; a test can change the list between two pages.
import type { ListedRender } from '../../src/features/renders/status/render-outputs.ts';

const startMs = Date.parse('2026-01-05T10:00:00.000Z');

export class RenderFeed {
  /** Newest first. */
  items: ListedRender[] = [];
  /** All outputs that were ever finished, even if the list lacks them. */
  readonly finishedItems: ListedRender[] = [];
  /** Offsets of the pages that were read. */
  offsets: number[] = [];
  /** Called after each page is read and before it is returned. */
  afterPage: (page: number) => void = () => undefined;
  #clockMs = startMs;
  #made = 0;

  get nowMs(): number {
    return this.#clockMs;
  }

  get pages(): number {
    return this.offsets.length;
  }

  /** Finishes outputs in the order of the projects, a millisecond apart. */
  finish(...projects: string[]): void {
    for (const projectId of projects) {
      this.#clockMs += 1;
      this.#made += 1;
      const item = output(`r${this.#made}`, projectId, this.#clockMs);
      this.items.unshift(item);
      this.finishedItems.push(item);
    }
  }

  /** Finishes outputs of other clients. */
  finishOthers(count: number): void {
    for (let index = 0; index < count; index += 1) this.finish(`other${this.#made}`);
  }

  delete(...ids: string[]): void {
    this.items = this.items.filter(({ id }) => !ids.includes(id));
  }

  readonly read = (page: { limit: number; offset: number }) => {
    this.offsets.push(page.offset);
    const renders = this.items.slice(page.offset, page.offset + page.limit);
    const total = this.items.length;
    this.afterPage(this.offsets.length);
    return Promise.resolve({ renders, total });
  };
}

export function output(id: string, projectId: string, createdAtMs: number): ListedRender {
  return {
    id,
    name: `Hero ${id}`,
    projectId,
    fileType: 'PNG',
    isVideo: false,
    aspectRatio: '16:9',
    resolution: '1280x720',
    fileSize: 1_000,
    favorited: false,
    isPreview: false,
    createdAt: new Date(createdAtMs).toISOString(),
    url: `https://cdn.example.com/${id}.png`,
    thumbnailUrl: `https://cdn.example.com/${id}-small.png`,
  };
}
