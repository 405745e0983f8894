// `operations:` in a pipeline file: what may be named, where mistakes are reported, and what the plan contains.
import { describe, expect, it } from 'vitest';
import { compile, placesOf, planOf, withNodes } from './_compile.ts';

/** The first operation is on line 9. */
function naming(...lines: string[]): string {
  return [withNodes(), 'operations:', ...lines.map((line) => `  ${line}`)].join('\n');
}

describe('operations that a file defines', () => {
  it.each<[string, string, ...string[]]>([
    ['one without a path in the reference', "createColorwayBatch: 'POST /v2/colorways'"],
    ['a misspelled one', "createColorwayBach: 'POST /x'", '9:3 RL312'],
    ['an unknown one', "launchRocket: 'POST /x'", '9:3 RL312'],
    ['a property of every object', "constructor: 'POST /x'", '9:3 RL312'],
    ['one whose path is in the reference', "createRenders: 'POST /x'", '9:3 RL312'],
    ['a path without a method', 'createColorwayBatch: /x', '9:24 RL313'],
    ['another host', "getTemplate: 'GET https://evil.example/x'", '9:16 RL313'],
    ['a host after two slashes', "getTemplate: 'GET //evil.example/{id}'", '9:16 RL313'],
    ['a path that leaves the API', "getTemplate: 'GET /../../{id}'", '9:16 RL313'],
    ['an escaped path that leaves the API', "getTemplate: 'GET /%2e%2e/{id}'", '9:16 RL313'],
    ['a query', "getTemplate: 'GET /x/{id}?y=1'", '9:16 RL313'],
    ['a read with a writing method', "getColorwayBatch: 'DELETE /c/{batchId}'", '9:21 RL313'],
    ['a path without the id', "getColorwayBatch: 'GET /colorways'", '9:21 RL313'],
    ['a parameter with another name', "retryColorwayJob: 'POST /c/{batch}/{jobId}'", '9:21 RL313'],
    ['a number', 'getTemplate: 5', '9:16 RL204'],
    ['a parameter that is not declared', "getTemplate: 'GET /${{ params.p }}/{id}'", '9:22 RL304'],
  ])('an operation is accepted, or is refused at its position: %s', (_, line, ...places) => {
    expect(placesOf(naming(line))).toEqual(places);
  });

  it.each<[string, string, ...string[]]>([
    ['a route alone', "addVariantsToProject: 'POST /p/{projectId}/v'"],
    ['its only parameter under another name', "addVariantsToProject: 'POST /p/{id}/v'"],
    ['a path without the project', "addVariantsToProject: 'POST /v'", '9:25 RL313'],
    ['a mapping', "getTemplate: { route: 'GET /t/{id}' }"],
    ['no route', "getTemplate: { rout: 'GET /t/{id}' }", '9:3 RL202', '9:18 RL201'],
    ['a wrong route', 'getTemplate: { route: /t }', '9:25 RL313'],
    ['a misspelled operation', "getTemplat: { route: 'GET /t/{id}' }", '9:3 RL312'],
    [
      'a body for an operation whose body is in the reference',
      "createColorwayBatch: { route: 'POST /c', body: { a: b } }",
      '9:44 RL314',
    ],
    [
      'a body for an operation without one in the reference',
      "addVariantsToProject: { route: 'POST /p/{projectId}', body: { ids: '{{ variantIds }}' } }",
    ],
    [
      'a body with the project in it',
      "addVariantsToProject: { route: 'POST /v', body: { of: '{{projectId}}', to: ['{{ variantIds }}'] } }",
    ],
    [
      'a body without the variants',
      "addVariantsToProject: { route: 'POST /p/{projectId}', body: { ids: [] } }",
      '9:57 RL314',
    ],
    [
      'an unknown field',
      "addVariantsToProject: { route: 'POST /p/{projectId}', body: { ids: '{{ variantId }}' } }",
      '9:70 RL314',
    ],
    [
      'a field within other text',
      "addVariantsToProject: { route: 'POST /p/{projectId}', body: { ids: 'x {{ variantIds }}' } }",
      '9:70 RL314',
    ],
    [
      'a body that is not a mapping',
      "addVariantsToProject: { route: 'POST /p/{projectId}', body: all }",
      '9:63 RL203',
    ],
  ])(
    'an operation that a file defines is accepted, or is refused at its position: %s',
    (_, line, ...places) => {
      expect(placesOf(naming(line))).toEqual(places);
    },
  );

  it('mistakes in operations are reported together and with hints', () => {
    const { problems } = compile(naming("getTemplat: 'GET /t/{id}'", "listPipelines: 'POST /p'"));
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ message, hint }) => [message, hint])).toEqual([
      ['the API operation "getTemplat" does not exist', 'Did you mean "getTemplate"?'],
      ['"listPipelines" reads, so its method is GET', "Write the route like 'GET /pipelines'."],
    ]);
  });

  it('paths of operations may have parameters, which are checked when they have values', () => {
    const text = `${naming("getTemplate: 'GET /${{ params.area }}/{templateId}'")}
parameters: { area: { type: string, required: true } }`;
    expect(placesOf(text)).toEqual([]);
    expect(placesOf(text, 'note')).toContain('9:16 RL601');
    expect(planOf(text, { area: 'looks' }).operations).toEqual({
      getTemplate: { route: 'GET /looks/{templateId}' },
    });
    const { ok, problems } = compile(text, { area: '../..' });
    expect([ok, problems.find(({ severity }) => severity === 'error')?.code]).toEqual([
      false,
      'RL313',
    ]);
  });
});

describe('the plan with operations', () => {
  const named = naming("createColorwayBatch: 'POST /v2/colorways'");

  it('the plan contains the operations, or no field if the file defines none', () => {
    expect(planOf(named).operations).toEqual({
      createColorwayBatch: { route: 'POST /v2/colorways' },
    });
    const body = { add: ['{{ variantIds }}'] };
    const route = 'POST /p/{projectId}';
    const long = `addVariantsToProject: ${JSON.stringify({ route, body })}`;
    expect(planOf(naming(long)).operations).toEqual({ addVariantsToProject: { route, body } });
    expect(planOf(withNodes())).not.toHaveProperty('operations');
    expect(planOf(`${withNodes()}\noperations: {}`)).not.toHaveProperty('operations');
  });

  it('operations change the hash of the plan, but not its recipe', () => {
    expect(planOf(named).hash).not.toBe(planOf(withNodes()).hash);
    expect(planOf(named).recipe).toBe(planOf(withNodes()).recipe);
  });
});
