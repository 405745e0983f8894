// Lists what a run is to take, a stretch at a time: all but the first while shards of what was found are under way.
import { workflowInfo } from '@temporalio/workflow';
import type { Discovery, RunInput } from '../src/plan/contract.ts';
import type { RunContext } from '../src/plan/run-context.ts';
import { onItsHost, type Placed } from './choose-host.ts';
import { type Holding, untilDiscovered } from './until-discovered.ts';

interface Listener extends Holding {
  context(): RunContext;
  /** Told where the run belongs, each time that this is found to be so. */
  placed(context: RunContext): void;
  /** Told of all that was found so far. */
  found(discovery: Discovery): void;
  /** True where the run begins nothing new. */
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

  /** True while a stretch is being listed behind the first. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** True where there is more to list, now or after the run has continued as new. */
  hasMore({ next }: Discovery): boolean {
    return next !== undefined && this.#failed === null;
  }

  /** The first stretch, which is all that most runs have. It finds out where the run belongs; the others are listed there. */
  begin(): Promise<Discovery> {
    return onItsHost(this.#input.plan, this.#listener.context(), (placed) => {
      this.#listener.placed(placed.context);
      return this.#list(placed, 0);
    });
  }

  /** Lists what is left; does nothing where all is listed. Ends early where the run is to continue as new. */
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

  /** To be asked when the shards of what was found have ended. */
  throwIfFailed(): void {
    if (this.#failed) throw this.#failed.error;
  }

  #list(placed: Placed, stretch: number): Promise<Discovery> {
    return untilDiscovered(this.#input, placed, stretch, this.#listener);
  }
}
