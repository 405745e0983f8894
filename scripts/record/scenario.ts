// What a recording is made of.
import type { FaultRule } from '@renderline/sandbox/faults';
import type { Outcome } from '../../src/plan/totals.ts';
import type { EventRules } from '../../src/plan/types.ts';
import type { Stage } from './stage.ts';

export interface Scenario {
  name: string;
  /** What the recording shows; printed by `npm run record`. */
  shows: string;
  /** How the run must end; another end is not recorded. */
  ends: Outcome;
  /** Names of the models, without extension; `broken-…` is a file that the look before upload refuses. */
  models: string[];
  /** Those of the models of which another version was delivered before. */
  changed?: string[];
  faults?: FaultRule[];
  /** Names of models that another client has uploaded, and that are ready before it starts. */
  onPlatform?: string[];
  /** Names of materials of the library. */
  materials?: string[];
  /** Names of text properties. */
  properties?: string[];
  /** The pipeline's root, when it does not begin with files. */
  root?: string;
  /** The pipeline's nodes between the root and `deliver`, when it is not the usual chain. */
  nodes?: string;
  /** Nodes behind `deliver`. */
  after?: string;
  /** Further lines of the file. */
  more?: string;
  maxRetries?: number;
  shardSize?: number;
  window?: number;
  /** Started by a schedule, not by a person: the run names itself. */
  scheduled?: boolean;
  /** Started by an event about what somebody else makes; the file begins with that. */
  onEvent?: EventRules['event'];
  /** Event count at which Temporal suggests to continue as new. */
  continueAsNewAt?: number;
  /** Records the workflows as well that workers share. */
  withShared?: boolean;
  /** Records the audit log as well. */
  withAudit?: boolean;
  /** Host of a second worker, which sees the same folders. */
  otherHost?: string;
  /** What a person does while it runs. */
  meanwhile?(stage: Stage): Promise<void>;
}
