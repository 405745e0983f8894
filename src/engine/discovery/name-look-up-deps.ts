// Dependencies for looking up names on the platform, once per run.
import type { RequestCounter } from '../../api/request-counter.ts';
import type { Connector } from '../../connectors/connector.ts';
import type { PollerContext } from '../polling/poller-context.ts';

export interface NameLookUpDeps {
  readonly pollerContext: PollerContext;
  /** Run for which the results are cached. */
  readonly run: { readonly run: string };
  readonly requests: RequestCounter;
  readonly signal: AbortSignal;
  /** Returns a connector of the pipeline by its name in the pipeline file. */
  getConnector(name: string): Connector;
  /** Names of materials that an earlier node of the pipeline will create. They are added by the lookup of that node. */
  readonly promisedMaterials?: Set<string>;
}
