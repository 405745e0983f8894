// Lists the assets of a run, one discovery page at a time. Shards already run while the later pages are listed.
import { workflowInfo } from '@temporalio/workflow';
import type { Discovery, RunInput } from '../../src/plan/contract/contract.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import { type DiscoveryDeps, discoverOrPause } from './discover-or-pause.ts';
import { type HostPlacement, runOnHost } from './run-on-host.ts';

interface ListingDeps extends DiscoveryDeps {
  context(): RunContext;
  /** Called with the run's context before the first discovery page is listed, and again once its host is chosen. */
  setHost(context: RunContext): void;
  /** Called after each discovery page except the first, with everything that was found so far. */
  addDiscovery(discovery: Discovery): void;
  /** True if the run starts nothing new. */
  isStopped(): boolean;
}

export class Listing {
  readonly #input: RunInput;
  readonly #deps: ListingDeps;
  #isBusy = false;
  #failure: { error: unknown } | null = null;

  constructor(input: RunInput, deps: ListingDeps) {
    this.#input = input;
    this.#deps = deps;
  }

  /** True while a discovery page after the first is being listed. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** True if there is more to list, now or after the run has continued as new. Returns false after an error. */
  hasMore({ nextDiscoveryPage }: Discovery): boolean {
    return nextDiscoveryPage !== undefined && this.#failure === null;
  }

  /** Lists the first discovery page and chooses the host for all pages. Most runs have only one page. */
  listFirst(): Promise<Discovery> {
    return runOnHost(this.#input.plan, this.#deps.context(), (placement) => {
      this.#deps.setHost(placement.context);
      return this.#list(placement, 0);
    });
  }

  /** Lists the remaining discovery pages until the run stops or must continue as new, or an error, which is kept. */
  async listRemaining({ nextDiscoveryPage }: Discovery): Promise<void> {
    this.#isBusy = nextDiscoveryPage !== undefined;
    try {
      for (let discoveryPage = nextDiscoveryPage; discoveryPage !== undefined; ) {
        if (this.#deps.isStopped() || workflowInfo().continueAsNewSuggested) return;
        const context = this.#deps.context();
        const discovery = await this.#list({ context, isHostChosen: true }, discoveryPage);
        this.#deps.addDiscovery(discovery);
        discoveryPage = discovery.nextDiscoveryPage;
      }
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#isBusy = false;
    }
  }

  /** Throws the error that ended the listing. To be called after the shards of the listed assets have finished. */
  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }

  #list(placement: HostPlacement, discoveryPage: number): Promise<Discovery> {
    return discoverOrPause(this.#input, placement, discoveryPage, this.#deps);
  }
}
