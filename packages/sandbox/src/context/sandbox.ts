// The dependencies of handlers, such as state, files, pictures and clock.

import type { Faults } from '../faults/faults.ts';
import type { Links } from '../http/links.ts';
import type { Stats } from '../http/stats.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Pictures } from '../pictures/pictures.ts';
import type { Files } from '../state/files.ts';
import type { Store } from '../state/store.ts';
import type { RenderIndex } from '../status/render-index.ts';
import type { Events } from '../webhooks/events.ts';
import type { Access } from '../workspace/access.ts';
import type { Limits } from '../workspace/limits.ts';

export interface Sandbox {
  readonly options: ResolvedOptions;
  readonly store: Store;
  readonly files: Files;
  readonly pictures: Pictures;
  readonly renders: RenderIndex;
  /** Ids of open production-file exports. */
  readonly openExports: Set<string>;
  readonly links: Links;
  readonly access: Access;
  readonly limits: Limits;
  readonly faults: Faults;
  readonly stats: Stats;
  readonly events: Events;
  /** Imports new files from the folders of pipelines and advances the pipelines' jobs. */
  readonly advancePipelines: () => Promise<void>;
  /** Background work, such as downloads and drawing. */
  readonly background: Background;
  /** Aborted when the sandbox stops. */
  readonly stopSignal: AbortSignal;
}

/** Tracks work that no request waits for. */
export class Background {
  readonly #tasks = new Set<Promise<void>>();
  /** Latest work of each subject that has work in progress. */
  readonly #latestTasks = new Map<string, Promise<void>>();

  /** Runs the task in the background. The task must not throw. */
  run(task: () => Promise<void>): void {
    const promise = task().finally(() => this.#tasks.delete(promise));
    this.#tasks.add(promise);
  }

  /** Runs the task in the background after all earlier tasks of the same subject. */
  runInTurn(subject: string, task: () => Promise<void>): void {
    this.run(async () => {
      const turn = (this.#latestTasks.get(subject) ?? Promise.resolve()).then(task, task);
      this.#latestTasks.set(subject, turn);
      await turn.finally(() => {
        if (this.#latestTasks.get(subject) === turn) this.#latestTasks.delete(subject);
      });
    });
  }

  /** Resolves when no work is left, including work that was started in the meantime. */
  async waitUntilIdle(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.allSettled(this.#tasks);
  }
}
