import type { Limits } from '../../compile/pipeline.ts';
import type { Plan } from '../../plan/types.ts';
import type { App } from '../app.ts';
import { checkFile, requirePlan } from '../compile-pipeline.ts';
import { checkChoices } from './check-choices.ts';

/** Like `compilePipeline`, but also checks values that must exist on the platform. @throws InvalidPipelineError */
export async function compileForRun(
  app: App,
  file: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<{ plan: Plan; limits: Limits }> {
  const checkedFile = await checkFile(app, file, parameters);
  return requirePlan(app, await checkChoices(app, checkedFile, parameters));
}
