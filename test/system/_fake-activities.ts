// Types of fake activities.
import type { Activities } from '../../src/plan/contract/contract.ts';
import type { StepInput, StepOutput } from '../../src/plan/shard/step-contract.ts';

type StepName =
  | 'connector_poll'
  | 'model_ready'
  | 'template_match'
  | 'render'
  | 'render_complete'
  | 'export';

export type FakeActivities = Partial<Activities> &
  Partial<Record<StepName, (input: StepInput) => Promise<StepOutput>>>;
