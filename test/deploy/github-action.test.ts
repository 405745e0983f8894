// action.yml and its page say the same; what it runs plays in test/extended/github-action.test.ts.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const Action = z.strictObject({
  name: z.string(),
  description: z.string().max(125),
  inputs: z.record(
    z.string(),
    z.strictObject({
      description: z.string(),
      required: z.boolean().optional(),
      default: z.string().optional(),
    }),
  ),
  runs: z.strictObject({
    using: z.literal('composite'),
    steps: z.array(
      z.strictObject({
        shell: z.literal('bash'),
        run: z.string(),
        env: z.record(z.string(), z.string()),
      }),
    ),
  }),
});
const action = Action.parse(parse(readFileSync('action.yml', 'utf8')));
const names = Object.keys(action.inputs);
const page = readFileSync('docs/github-action.md', 'utf8');

describe('action.yml', () => {
  test('hands its inputs over by the environment, and none into a script', () => {
    const [step] = action.runs.steps;
    const handed = names.map((name) => [`INPUT_${name.toUpperCase()}`, `\${{ inputs.${name} }}`]);
    expect(step?.env).toEqual(Object.fromEntries(handed));
    expect(step?.run).not.toContain('${{');
    expect(existsSync('action/main.mjs')).toBe(true);
  });

  test('its page names every input', () => {
    expect([...page.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)).toEqual(names);
    const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
    const { jobs } = parse(example) as { jobs: { renderline: { steps: { with?: object }[] } } };
    for (const name of Object.keys(jobs.renderline.steps.at(-1)?.with ?? {})) {
      expect(names).toContain(name);
    }
  });
});
