// `approval` in a pipeline file: what it needs, and which `review` connectors are refused.
import { describe, expect, it } from 'vitest';
import { compileText } from '../../src/compile/compile.ts';

interface FileOptions {
  parents?: string;
  config?: string;
  /** Settings of the render. */
  settings?: string;
  isApproved?: boolean;
}

function compiled({
  parents = '[shots]',
  config = '{ review: review }',
  settings = '{}',
  isApproved = true,
}: FileOptions = {}) {
  const approval = `  - { id: look, type: approval, parentIds: ${parents}, config: ${config}, timeout: 3d }\n`;
  const text = `name: judged
connectors:
  models: { type: local, path: ./models }
  pictures: { type: local, path: ./pictures }
  review: { type: local, path: ./review }
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: shots, type: render, parentIds: [ready], config: { settings: ${settings} } }
${isApproved ? approval : ''}  - id: deliver
    type: export
    parentIds: [${isApproved ? 'look' : 'shots'}]
    config: { connector: pictures }
`;
  const place = { cwd: '/', fileFolder: '/' };
  return compileText(text, 'judged.yaml', { ...place, environment: {}, parameters: {} });
}

describe('a pipeline file with an approval node', () => {
  it.each<[string, FileOptions, string | null]>([
    ['is accepted with a `review` connector', {}, null],
    ['is refused without a `review` connector', { config: '{}' }, 'review'],
    [
      'is refused if its `review` connector is unknown',
      { config: '{ review: reviews }' },
      'reviews',
    ],
    [
      'is refused if it delivers to the `review` connector',
      { config: '{ review: pictures }' },
      'is also the `review` connector of an approval',
    ],
    ['is refused if the approval comes before the render', { parents: '[ready]' }, 'render'],
  ])('the pipeline file %s', (_what, options, problem) => {
    const messages = compiled(options)
      .problems.filter(({ severity }) => severity === 'error')
      .map(({ message }) => message);
    if (problem === null) expect(messages).toEqual([]);
    else expect(messages.join('\n')).toContain(problem);
  });
});

describe('the plan of an approval node', () => {
  const stepsOf = (options: FileOptions = {}) =>
    (compiled(options).plan?.steps ?? []).filter(({ node }) => node === 'look');

  it('an approval node copies pictures, then waits for a decision until its timeout', () => {
    expect(stepsOf()).toMatchObject([
      { id: 'look.pictures', activity: 'approval_pictures', mode: 'call' },
      {
        id: 'look',
        activity: 'approval',
        mode: 'wait',
        parents: ['look.pictures'],
        asksPeople: true,
        timeoutMs: 3 * 86_400_000,
      },
    ]);
  });

  it('an approval node limits decoding to the number of pixels that the render requests', () => {
    const settings =
      '{ imageCustomResolution: true, imageCustomWidth: 10000, imageCustomHeight: 5000 }';
    expect(stepsOf({ settings })[0]?.config).toEqual({ review: 'review', maxPixels: 50_000_000 });
  });

  it('the recipe is the same without the node, so adding the node does not repeat any render', () => {
    expect(compiled({ isApproved: false }).plan?.recipe).toBe(compiled().plan?.recipe);
  });
});
