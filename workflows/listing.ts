// Lists what a run is to take, a stretch at a time: all but the first while shards of what was found are under way.
import { workflowInfo } from '@temporalio/workflow';
import type { Discovery, RunInput } from '../src/plan/contract.ts';
import type { RunContext } from '../src/plan/run-context.ts';
import { type Holding, untilDiscovered } from './until-discovered.ts';

interface Listener extends Holding {
  /** Told of all that was found so far. */
  found(discovery: Discovery): void;
  /** True where the run begins nothing new. */
  isStopped(): boolean;
}

export class Listing {
  readonly #input: RunInput;
  readonly #context: RunContext;
  readonly #listener: Listener;
  #isBusy = false;
  #failed: { error: unknown } | null = null;

  constructor(input: RunInput, context: RunContext, listener: Listener) {
    this.#input = input;
    this.#context = context;
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

  /** The first stretch, which is all that most runs have. */
  begin(): Promise<Discovery> {
    return this.#list(0);
  }

  /** Lists what is left; does nothing where all is listed. Ends early where the run is to continue as new. */
  async goOn({ next }: Discovery): Promise<void> {
    this.#isBusy = next !== undefined;
    try {
      for (let stretch = next; stretch !== undefined; ) {
        if (this.#listener.isStopped() || workflowInfo().continueAsNewSuggested) return;
        const found = await this.#list(stretch);
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

  #list(stretch: number): Promise<Discovery> {
    return untilDiscovered(this.#input, this.#context, stretch, this.#listener);
  }
}
