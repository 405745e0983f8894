// Dependencies of handlers: state, files, pictures, and the time.

import type { Faults } from './faults/faults.ts';
import type { Stats } from './http/stats.ts';
import type { ResolvedOptions } from './options.ts';
import type { Pictures } from './pictures/pictures.ts';
import type { SheetFiles } from './production/sheet-files.ts';
import type { RenderIndex } from './renders/render-index.ts';
import type { Files } from './state/files.ts';
import type { Store } from './state/store.ts';
import type { Links } from './storage/links.ts';
import type { Events } from './webhooks/events.ts';
import type { Access } from './workspace/access.ts';
import type { Limits } from './workspace/limits.ts';
import type { Rights } from './workspace/rights.ts';

export interface Sandbox {
  readonly options: ResolvedOptions;
  readonly store: Store;
  readonly files: Files;
  readonly pictures: Pictures;
  readonly renders: RenderIndex;
  /** Ids of the production-file exports that have not ended. */
  readonly openExports: Set<string>;
  readonly sheets: SheetFiles;
  readonly links: Links;
  readonly access: Access;
  readonly limits: Limits;
  readonly rights: Rights;
  readonly faults: Faults;
  readonly stats: Stats;
  readonly events: Events;
  /** Takes new files from the folders of pipelines, and moves their jobs on. */
  readonly lookAtPipelines: () => Promise<void>;
  /** Work that goes on behind the answers (downloads, drawing); resolves when none is left. */
  readonly background: Background;
  /** Aborted when the sandbox stops. */
  readonly stopping: AbortSignal;
}

/** Keeps count of work that no request waits for. */
export class Background {
  readonly #running = new Set<Promise<void>>();

  /** Runs the work, which must store its own errors as facts. */
  run(work: () => Promise<void>): void {
    const running = work().finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when no work is left, including work started meanwhile. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}
