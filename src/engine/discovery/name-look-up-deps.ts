// Dependencies of looking up names on the platform, once per run.
import type { RequestCounter } from '../../api/request-counter.ts';
import type { Connector } from '../../connectors/connector.ts';
import type { PollerContext } from '../polling/poller-context.ts';

export interface NameLookUpDeps {
  readonly pollerContext: PollerContext;
  /** Run that the results are cached for. */
  readonly run: { readonly run: string };
  readonly requests: RequestCounter;
  readonly signal: AbortSignal;
  /** Returns a connector of the pipeline, by its name in the pipeline file. */
  getConnector(name: string): Connector;
  /** Names of materials that an earlier node of the pipeline will create. The lookup of that node adds them. */
  readonly promisedMaterials?: Set<string>;
}
