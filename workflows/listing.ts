// Lists the assets of a run, one discovery page at a time. All pages but the first are listed while shards are already running.
import { workflowInfo } from '@temporalio/workflow';
import type { Discovery, RunInput } from '../src/plan/contract.ts';
import type { RunContext } from '../src/plan/run-context.ts';
import { onItsHost, type Placed } from './choose-host.ts';
import { type Holding, untilDiscovered } from './until-discovered.ts';

interface Listener extends Holding {
  context(): RunContext;
  /** Called with the run's context each time its host becomes known. */
  placed(context: RunContext): void;
  /** Called with everything that was found so far. */
  found(discovery: Discovery): void;
  /** True if the run starts nothing new. */
  isStopped(): boolean;
}

export class Listing {
  readonly #input: RunInput;
  readonly #listener: Listener;
  #isBusy = false;
  #failed: { error: unknown } | null = null;

  constructor(input: RunInput, listener: Listener) {
    this.#input = input;
    this.#listener = listener;
  }

  /** True while a page after the first is being listed. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** True if there is more to list, now or after the run has continued as new. */
  hasMore({ next }: Discovery): boolean {
    return next !== undefined && this.#failed === null;
  }

  /** Lists the first page, which is the only one for most runs. This chooses the host; the other pages are listed there. */
  begin(): Promise<Discovery> {
    return onItsHost(this.#input.plan, this.#listener.context(), (placed) => {
      this.#listener.placed(placed.context);
      return this.#list(placed, 0);
    });
  }

  /** Lists the remaining pages, if any. Stops early if the run must continue as new. */
  async goOn({ next }: Discovery): Promise<void> {
    this.#isBusy = next !== undefined;
    try {
      for (let stretch = next; stretch !== undefined; ) {
        if (this.#listener.isStopped() || workflowInfo().continueAsNewSuggested) return;
        const context = this.#listener.context();
        const found = await this.#list({ context, isSettled: true }, stretch);
        this.#listener.found(found);
        stretch = found.next;
      }
    } catch (error) {
      this.#failed = { error };
    } finally {
      this.#isBusy = false;
    }
  }

  /** Call this after the shards of what was found have finished. */
  throwIfFailed(): void {
    if (this.#failed) throw this.#failed.error;
  }

  #list(placed: Placed, stretch: number): Promise<Discovery> {
    return untilDiscovered(this.#input, placed, stretch, this.#listener);
  }
}
