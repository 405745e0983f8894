// Every example of a node type and every shipped pipeline compile without problems.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { nodeTypes } from '../../src/features/index.ts';
import { compile, planOf } from './_compile.ts';

const shipped = fileURLToPath(new URL('../../pipelines', import.meta.url));
const texts = [
  ...nodeTypes.map(({ type, example }) => ({ name: `example of ${type}`, text: example })),
  ...readdirSync(shipped)
    .filter((name) => /^[\w-]+\.yaml$/.test(name))
    .map((name) => ({ name, text: readFileSync(`${shipped}/${name}`, 'utf8') })),
];
const values = { folder: '/models', out: '/pictures', tag: 'spring' };

describe.each(texts)('$name', ({ text }) => {
  it('the file is valid without parameters', () => {
    const { ok, problems } = compile(text);
    expect(problems.filter(({ severity }) => severity !== 'note')).toEqual([]);
    expect(ok).toBe(true);
  });

  it('the file compiles with its parameters', () => {
    const declared = Object.entries(values).filter(([name]) =>
      new RegExp(`^  ${name}:`, 'm').test(text),
    );
    const plan = planOf(text, Object.fromEntries(declared));
    expect(plan.steps[0]?.node).toBe(plan.discovery.node);
    const isTold = ({ id }: { id: string }) => plan.route.some((one) => one.startsWith(`${id}: `));
    expect(plan.steps.filter((step) => !isTold(step))).toEqual([]);
  });
});
