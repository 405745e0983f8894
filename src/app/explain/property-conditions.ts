import type { Client } from '../../api/client.ts';
import { RequestCounter } from '../../api/request-counter.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import { createPollerContext } from '../../engine/polling/poller-context.ts';
import {
  type ModelProperties,
  readModelProperties,
} from '../../features/properties/model-properties.ts';
import { evaluateCondition } from '../../language/condition-verdict.ts';
import { ExpressionError, findProperties, toExpressionScope } from '../../language/expressions.ts';
import type { Asset, Plan } from '../../plan/types.ts';
import type { App } from '../app.ts';
import { withPlatform } from '../platform-client.ts';
import { explainUnlessUnauthorized } from '../renderline-error.ts';

export interface ConditionResult {
  node: string;
  when: string;
  properties: ModelProperties;
  /** Null if the condition cannot be evaluated for the asset. */
  holds: boolean | null;
}

/** Evaluates conditions on the model's properties. None without a model, or (with a note) if they are unreadable. */
export async function readPropertyConditions(
  app: App,
  { steps, parameters, operations }: Pick<Plan, 'steps' | 'parameters' | 'operations'>,
  asset: Asset,
): Promise<ConditionResult[]> {
  const { modelId } = asset.platformIds;
  const conditions = steps.flatMap(({ node, when }) =>
    when !== null && findProperties(when).length > 0 ? [{ node, when }] : [],
  );
  if (modelId === undefined || conditions.length === 0) return [];
  const names = [...new Set(conditions.flatMap(({ when }) => findProperties(when)))];
  try {
    const read = (client: Client) =>
      readModelProperties(names, [modelId], {
        pollerContext: createPollerContext(client),
        run: { run: 'explain' },
        requests: new RequestCounter(),
        signal: app.signal,
      });
    const properties = (await withPlatform(app, read, operations))(modelId);
    const scope = toExpressionScope(asset, parameters, properties);
    return conditions.map(({ node, when }) => {
      const values = findProperties(when).map((name) => [name, properties[name] ?? null]);
      return { node, when, properties: Object.fromEntries(values), holds: decide(when, scope) };
    });
  } catch (error) {
    const { message } = error instanceof RunCauseError ? error : explainUnlessUnauthorized(error);
    app.note(`Properties of the model were not read: ${message}`);
    return [];
  }
}

function decide(condition: string, scope: Parameters<typeof evaluateCondition>[1]): boolean | null {
  try {
    return evaluateCondition(condition, scope);
  } catch (error) {
    if (error instanceof ExpressionError) return null;
    throw error;
  }
}

/** Formats a condition, for example `"shots" skips it: the property "approved" of its model is "no" (when: …).` */
export function formatPropertyCondition(result: ConditionResult): string {
  const { node, when, properties, holds } = result;
  const values = Object.entries(properties).map(([name, value]) => {
    const isMissing = value === null || (Array.isArray(value) && value.length === 0);
    return `the property "${name}" of its model ${isMissing ? 'has no value' : `is ${JSON.stringify(value)}`}`;
  });
  const verdict = holds === null ? 'fails on it' : holds ? 'includes it' : 'skips it';
  return `"${node}" ${verdict}: ${values.join(', ')} (when: ${when}).`;
}
