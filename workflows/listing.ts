// Lists on, a stretch at a time, while shards of what was found are under way.
import { workflowInfo } from '@temporalio/workflow';
import type { Discovery } from '../src/plan/contract.ts';

export interface ListingOf {
  /** Finds a stretch; answers what was found so far. */
  list(stretch: number): Promise<Discovery>;
  found(discovery: Discovery): void;
  /** True where the run begins nothing new. */
  isStopped(): boolean;
}

export class Listing {
  readonly #of: ListingOf;
  #isBusy = false;
  #failed: { error: unknown } | null = null;

  constructor(of: ListingOf) {
    this.#of = of;
  }

  /** True while a stretch is being listed. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** True where there is more to list, now or after the run has continued as new. */
  hasMore({ next }: Discovery): boolean {
    return next !== undefined && this.#failed === null;
  }

  /** Lists what is left; does nothing where all is listed. Ends early where the run is to continue as new. */
  async goOn({ next }: Discovery): Promise<void> {
    this.#isBusy = next !== undefined;
    try {
      for (let stretch = next; stretch !== undefined; ) {
        if (this.#of.isStopped() || workflowInfo().continueAsNewSuggested) return;
        const found = await this.#of.list(stretch);
        this.#of.found(found);
        stretch = found.next;
      }
    } catch (error) {
      this.#failed = { error };
    } finally {
      this.#isBusy = false;
    }
  }

  /** Told when the shards of what was found have ended. */
  throwIfFailed(): void {
    if (this.#failed) throw this.#failed.error;
  }
}
