import { z } from 'zod';
import { isSameName } from '../../api/requests/name-comparison.ts';
import { collectCauses } from '../../engine/collect-causes.ts';
import type { NameLookUpDeps } from '../../engine/discovery/name-look-up-deps.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { defineNode } from '../../engine/node-type.ts';
import { fail } from '../../failures/fail.ts';
import {
  compileExpression,
  ExpressionError,
  toExpressionScope,
} from '../../language/expressions.ts';
import { expression, glob, regex, templateName } from '../../language/fields.ts';
import { GlobSet } from '../../language/glob-set.ts';
import { maxMatchedLength } from '../../language/regex-safety.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { readyModelsExample } from '../example.ts';
import { SelectModels, selectedModels } from '../models/selection/select-models.ts';
import { templateFailures } from './failures.ts';
import { templateNameResolver } from './template-name-resolver.ts';

export const TemplateRule = z
  .strictObject({
    glob: glob.optional().describe('Glob that the asset key must match.'),
    regex: regex.optional().describe('Regular expression that the asset key must match.'),
    category: z.string().optional().describe('Category that the model must have.'),
    when: expression('CEL expression that must be true for the rule to match.').optional(),
    template: templateName,
  })
  .refine((rule) => rule.glob ?? rule.regex ?? rule.category ?? rule.when, {
    message: 'a rule needs one of glob, regex, category or when',
  });

export type TemplateRule = z.output<typeof TemplateRule>;

interface TemplateRules {
  rules: TemplateRule[];
  default?: string | undefined;
}

/** @throws RunCauseError that lists all templates that do not exist or are ambiguous */
export async function lookUpTemplates(
  choice: TemplateRules,
  context: Pick<NameLookUpDeps, 'pollerContext' | 'requests'>,
): Promise<void> {
  const resolver = templateNameResolver(context.pollerContext);
  const names = [...choice.rules.map(({ template }) => template), choice.default ?? []].flat();
  await collectCauses(new Set(names), async (name) => {
    const result = await resolver.resolve(name, context.requests);
    if ('failure' in result) throw new RunCauseError(result.failure, result.message);
  });
}

const noMatchingRule = 'no rule of template_match matches and there is no default';

export async function chooseTemplates(
  config: TemplateRules,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const resolver = templateNameResolver(context.pollerContext);
  const matchers = config.rules.map((rule) => compileRule(rule, context));
  return Promise.all(
    assets.map(async (asset): Promise<AssetResult> => {
      const { key } = asset;
      try {
        const rule = config.rules.find((_, index) => matchers[index]?.(asset));
        const template = rule?.template ?? config.default;
        if (template === undefined) return fail(templateFailures.NO_TEMPLATE, key, noMatchingRule);
        const result = await resolver.resolve(template, context.requests);
        return 'templateId' in result
          ? { key, outcome: 'done', platformIds: result }
          : fail(result.failure, key, result.message);
      } catch (error) {
        // An expression that fails for one asset must not fail the others.
        if (!(error instanceof ExpressionError)) throw error;
        return fail(error.failure, key, error.message);
      }
    }),
  );
}

function compileRule({ glob, regex, category, when }: TemplateRule, { run }: NodeContext) {
  const globs =
    glob === undefined ? null : new GlobSet([glob], { style: 'path', ignoreCase: true });
  const pattern = regex === undefined ? null : new RegExp(regex, 'i');
  const compiled = when === undefined ? null : compileExpression(when);
  return (asset: StepAsset): boolean => {
    const { key, platformIds } = asset;
    if (globs && !globs.hasMatch(key)) return false;
    if (pattern && (key.length > maxMatchedLength || !pattern.test(key))) return false;
    const { category: ofModel } = platformIds;
    if (category !== undefined && !(ofModel !== undefined && isSameName(ofModel, category)))
      return false;
    if (compiled === null) return true;
    return compiled.ok && compiled.evaluate(toExpressionScope(asset, run.parameters)) === true;
  };
}

const Config = z
  .strictObject({
    rules: z
      .array(TemplateRule)
      .default([])
      .describe(
        'Rules, tried in order; the first rule that matches an asset chooses its template.',
      ),
    default: templateName.optional().describe('Template for assets that no rule matches.'),
    select: SelectModels.optional(),
  })
  .refine((config) => config.rules.length > 0 || config.default, {
    message: 'needs rules or a default template',
  });

export const templateMatch = defineNode({
  type: 'template_match',
  summary: 'Choose the template of each asset: the first matching rule wins.',
  docs: `Rules are tried in order; every condition of a rule must hold. An asset that no rule
matches gets \`default\`, and fails with NO_TEMPLATE if there is none. A template is identified by its id
or its name; a name that two templates share is an error.

With \`select\` the pipeline starts with existing models of the platform. Models selected by the status
READY or APPROVED continue immediately; others need a \`model_ready\` node after this one.`,
  example: `${readyModelsExample('choose-template')}
  - id: look
    type: template_match
    parentIds: [ready]
    config:
      rules:
        - { glob: "shoes/**", template: Hero Dark }
        - { when: 'asset.bytes > 1000000', template: Warm Floor }
      default: Studio White
`,
  config: Config,
  mode: 'call',
  stage: 'composition',
  root: selectedModels,
  needs: ['model'],
  gives: ['template'],
  profile: { batch: 250, startToClose: '1m', timeout: '1h' },
  recipe: ['rules', 'default'],
  route: () => 'reads the template list once a run; rules cost no request',
  lookUp: lookUpTemplates,
  cost: { requests: () => ({ listTemplates: 1 }) },
  run: chooseTemplates,
});
