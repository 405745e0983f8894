// Dependencies of a look-up of names on the platform, once for a run.
import type { RequestCounter } from '../../api/counter.ts';
import type { Lookout } from '../watch/lookout.ts';

export interface NameContext {
  readonly lookout: Lookout;
  /** Run that the answers are remembered for. */
  readonly run: { readonly run: string };
  readonly requests: RequestCounter;
  readonly signal: AbortSignal;
}
