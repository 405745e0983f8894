// The definition of a recording scenario.
import type { FaultRule } from '@renderline/sandbox/faults';
import type { Outcome } from '../../src/plan/shard/totals.ts';
import type { EventRules } from '../../src/plan/types.ts';
import type { RecordingEnvironment } from './recording-environment.ts';

export interface Scenario {
  name: string;
  /** What the recording shows. `npm run record` prints it. */
  shows: string;
  /** The expected outcome of the run. A different outcome is not recorded. */
  ends: Outcome;
  /** Model names without extensions. `broken-…` is a file that the inspection before the upload refuses. */
  models: string[];
  /** Models of which an earlier version has been delivered. */
  changed?: string[];
  faults?: FaultRule[];
  /** Models that another client has uploaded and that are ready before the run starts. */
  onPlatform?: string[];
  /** Names of library materials. */
  materials?: string[];
  /** Names of text properties. */
  properties?: string[];
  /** The root node, if the pipeline does not start with files. */
  root?: string;
  /** The nodes between the root and `deliver`, if they differ from the default. */
  nodes?: string;
  /** Additional connectors, as lines of the pipeline file. */
  connectors?: string;
  /** More options of `deliver`. */
  deliver?: string;
  /** Nodes after `deliver`. */
  after?: string;
  /** Additional lines of the pipeline file. */
  more?: string;
  maxRetries?: number;
  shardSize?: number;
  window?: number;
  /** Starts the run by a schedule, so that the server determines the run's id. */
  scheduled?: boolean;
  /** Starts the run on an event about another client's resource. The file starts with an event node. */
  onEvent?: EventRules['event'];
  /** Event count at which Temporal suggests continue-as-new. */
  continueAsNewAt?: number;
  /** Also records the workflows that workers share. */
  withShared?: boolean;
  /** Also records the audit log. */
  withAudit?: boolean;
  /** Host of a second worker that has access to the same folders. */
  otherHost?: string;
  /** Does what a person would do while the run is in progress. */
  meanwhile?(recording: RecordingEnvironment): Promise<void>;
}
