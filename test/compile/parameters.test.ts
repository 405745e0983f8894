// Declarations of parameters: what is valid, what is not, and where a parameter without a value may be used.
import { describe, expect, it } from 'vitest';
import { compile, placesOf, planOf, told, withNodes } from './_compile.ts';

/** The declaration is on line 2. The parameter `x` is used, so that there is no warning. */
const declare = (declaration: string) =>
  `parameters:\n  x: ${declaration}\n${withNodes()}\ndescription: "\${{ params.x }}"`;

describe('a declaration', () => {
  it.each([
    ['{ type: string }', []],
    ['{ type: string, default: a, min: 1, max: 3, pattern: "[a-c]+" }', []],
    ['{ type: enum, values: [a, b], default: b }', []],
    ['{ type: path, default: ./models }', []],
    ['{ type: enum, values: { from: templates } }', []],
    ['{ type: enum, values: { from: materials }, default: Oak }', []],
    ['{ type: enum, values: { from: properties, property: Season } }', []],
    ['{ type: string, values: { from: templates } }', ['2:30 RL308']],
    ['{ type: enum, values: { from: collections } }', ['2:36 RL204']],
    ['{ type: enum, values: { form: templates } }', ['2:20 RL202', '2:30 RL201']],
    ['{ type: enum, values: { from: templates, property: Season } }', ['2:57 RL204']],
    ['{ type: enum, values: templates }', ['2:28 RL204']],
    ['{ type: strin }', ['2:14 RL204']],
    ['{ typ: string }', ['2:3 RL202', '2:8 RL201']],
    ['text', ['2:6 RL203']],
    ['{ type: enum }', ['2:14 RL308']],
    ['{ type: string, values: [a] }', ['2:30 RL308']],
    ['{ type: enum, values: [a, b], default: c }', ['2:45 RL308']],
    ['{ type: boolean, min: 1 }', ['2:28 RL308']],
    ['{ type: string, min: 5, max: 1 }', ['2:27 RL308']],
    ['{ type: string, pattern: "(a+)+" }', ['2:32 RL512']],
    ['{ type: string, pattern: "(" }', ['2:32 RL512']],
    // This pattern is harmless in a search, but not as the pattern of a whole value.
    ['{ type: string, pattern: "a*a*a*a*" }', ['2:32 RL512']],
    ['{ type: string, pattern: "[a-z]+(-[0-9]+)?" }', []],
    ['{ type: string, default: abc, max: 2 }', ['2:31 RL308']],
    ['{ type: string, default: b, pattern: a }', ['2:31 RL308']],
    ['{ type: string, default: a, required: true }', ['2:44 RL308']],
    ['{ type: string, required: false }', ['2:32 RL308']],
  ])('the declaration %s causes the problems %j', (declaration, places) => {
    expect(placesOf(declare(declaration))).toEqual(places);
  });

  it.each([
    ['{ type: integer, default: "3" }', '2:32'],
    ['{ type: integer, default: 1.5 }', '2:32'],
    ['{ type: integer, default: 5, max: 4 }', '2:32'],
    ['{ type: boolean, default: "true" }', '2:32'],
  ])('the declaration %s is refused because its default does not fit', (declaration, place) => {
    const text = declare(declaration).replace('description: "${{ params.x }}"', "key: 'params.x'");
    const found = placesOf(text);
    expect(found[0]).toBe(`${place} RL308`);
    expect(found.some((one) => one.endsWith('RL304'))).toBe(false);
  });

  it('a value that is too long for its pattern is refused', () => {
    const text = declare('{ type: string, pattern: "a+" }');
    expect(told(text, { x: 'a'.repeat(4_096) })).toEqual([]);
    expect(told(text, { x: `${'a'.repeat(4_096)}/../b` })).toEqual([
      expect.stringMatching(/^2:3 RL311 --param x: "a+…" is longer than 4096 characters, /),
    ]);
  });

  it.each(['a-b', '1a', 'a b', 'ä'])('a parameter may not be named "%s"', (name) => {
    expect(
      placesOf(`parameters: { "${name}": { type: string, default: a } }\n${withNodes()}`),
    ).toEqual(['1:15 RL308']);
  });
});

describe('a parameter without a value', () => {
  it('a parameter without a value can be used where its type fits, but the file has no plan', () => {
    const text = `parameters: { n: { type: integer }, g: { type: string } }\n${withNodes().replace(
      'connector: models',
      'connector: models, include: ["${{ params.g }}/*.glb"]',
    )}
batchSize: \${{ params.n }}`;
    const { ok, plan } = compile(text);
    expect(ok).toBe(true);
    expect(plan).toBeNull();
  });

  it('a parameter is checked when it has a value', () => {
    const text = `parameters: { n: { type: integer }, g: { type: string } }\n${withNodes().replace(
      'connector: models',
      'connector: models, include: ["${{ params.g }}/*.glb"]',
    )}
batchSize: \${{ params.n }}`;
    const codes = (given: Record<string, string>) =>
      compile(text, given)
        .problems.filter(({ severity }) => severity === 'error')
        .map(({ line, col, code }) => `${line}:${col} ${code}`);
    expect(codes({ n: '10', g: 'a' })).toEqual([]);
    expect(codes({ n: '1000', g: '../a' })).toEqual(['8:78 RL511', '9:12 RL204']);
    expect(codes({ n: '10' })).toEqual(['1:37 RL309']);
  });

  it('a parameter without a value is never part of a plan', () => {
    const text = `parameters: { n: { type: integer, default: 7 } }\n${withNodes()}\nbatchSize: \${{ params.n }}`;
    expect(JSON.stringify(planOf(text))).not.toContain('${{');
    expect(planOf(text, { n: '9' }).steps[0]?.batch).toBe(9);
  });
});

describe('a parameter with values from a list of the workspace', () => {
  const text = declare('{ type: enum, values: { from: templates }, default: Studio White }');
  const scheduled = `${text}\nschedule: { cron: "0 2 * * *", parameters: { x: Hero Dark } }`;

  it.each([
    ['a default', text, ['2:58 "Studio White"']],
    ['a value of a schedule', scheduled, ['2:58 "Studio White"', '11:49 "Hero Dark"']],
  ])(
    'a note is reported for %s, because only the platform knows the list',
    (_what, given, places) => {
      const pattern =
        /^whether the templates of the workspace include (".*") is checked when plan, apply or doctor read the list$/;
      const noted = compile(given).problems.flatMap(({ severity, line, col, message }) => {
        const [, value] = pattern.exec(message) ?? [];
        return severity === 'note' && value !== undefined ? [`${line}:${col} ${value}`] : [];
      });
      expect(noted).toEqual(places);
    },
  );

  it('the value of a parameter is unchanged in the plan', () => {
    expect(planOf(text, { x: 'Any' }).parameters).toMatchObject({ x: 'Any' });
    expect(compile(text, { x: 5 }).problems[0]?.code).toBe('RL311');
  });
});

describe('parameters inside text', () => {
  it('parameters inside other text become text, and a parameter that stands alone keeps its type', () => {
    const text = `parameters: { n: { type: integer, default: 7 } }\n${withNodes().replace(
      'path: models',
      'path: "v${{ params.n }}/${{params.n}}"',
    )}\nmaxRetries: "\${{ params.n }}"`;
    const plan = planOf(text);
    expect(plan.connectors['models']?.['path']).toBe('/pipelines/v7/7');
  });
});
