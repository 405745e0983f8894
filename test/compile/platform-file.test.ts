// A file and the pipeline shown by the platform: what fits, what does not, and what is merged back.
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { compileText } from '../../src/compile/compile.ts';
import { formatPlatformFile, mergePlatformPipeline } from '../../src/compile/platform-file.ts';
import { fitToPlatform } from '../../src/compile/platform-shape.ts';

const file = `# Pictures of chairs.
name: chairs
batchSize: 20
parameters:
  folder: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
records: models
nodes:
  - id: take   # comes first
    type: connector_poll
    config: { connector: models }
  - { id: ready, type: model_ready, parentIds: [take], when: 'asset.key != "x"', timeout: 1h }
  - { id: shots, type: render, parentIds: [ready], enabled: false, redo: { olderThan: 90d }, config: { settings: { imageFormat: JPEG } } }
`;

function fitted(text: string) {
  const options = { cwd: '/', fileFolder: '/', environment: {}, parameters: { folder: '/models' } };
  const { pipeline, problems } = compileText(text, 'chairs.yaml', options);
  if (pipeline === null) throw new Error(JSON.stringify(problems));
  return fitToPlatform(pipeline);
}

const shown = {
  id: 'pipeline-1',
  name: 'chairs',
  batchSize: 20,
  maxRetries: 2,
  nodes: [
    { id: 'n1', type: 'connector_poll', enabled: true },
    { id: 'n2', type: 'model_ready', enabled: true },
    { id: 'n3', type: 'render', enabled: false },
  ],
};

test('numbers keep their notation when the file is rewritten', () => {
  const values = 'values:\n  SKU: 0510210600\n  Size: 1E5\n  Dot: 1.10\n  Sign: +7\n';
  // Text of the file is never treated as a number.
  const words = '# See typed-number-1.\n';
  const merged = mergePlatformPipeline(`${file}${words}${values}`, { ...shown, batchSize: 30 });
  const text = 'text' in merged ? merged.text : '';
  expect(text).toContain(`${words}${values}`);
  expect(text).toContain('batchSize: 30\n');
});

describe('fitToPlatform', () => {
  test('fitToPlatform maps name, numbers and nodes, and lists the other fields', () => {
    const { shape, unmapped: left, foreign } = fitted(file);
    expect(shape).toMatchObject({ name: 'chairs', batchSize: 20, maxRetries: 2 });
    expect(shape.nodes.map(({ id, parentIds }) => [id, parentIds])).toEqual([
      ['take', []],
      ['ready', ['take']],
      ['shots', ['ready']],
    ]);
    expect(shape.nodes.map(({ enabled }) => enabled)).toEqual([true, true, false]);
    expect(shape.connectors).toEqual(['models']);
    expect(left).toEqual([
      'parameters',
      'connectors',
      'records',
      'nodes[1].when',
      'nodes[1].timeout',
      'nodes[2].redo',
    ]);
    expect(foreign).toEqual([]);
  });
});

describe('mergeShown', () => {
  test('mergeShown does not change the text if nothing was changed', () => {
    expect(mergePlatformPipeline(file, shown)).toEqual({ text: file });
  });

  test('mergeShown does not write values that equal a default', () => {
    const text = file.replace('batchSize: 20\n', '');
    expect(mergePlatformPipeline(text, { ...shown, batchSize: 50 })).toEqual({ text });
  });

  test('mergeShown applies the changes of the platform, and keeps comments', () => {
    const nodes = shown.nodes.map((node) => ({ ...node, enabled: node.type !== 'model_ready' }));
    const merged = mergePlatformPipeline(file, {
      ...shown,
      name: 'stools',
      batchSize: 7,
      maxRetries: 0,
      nodes,
    });
    const text = 'text' in merged ? merged.text : '';
    expect(text).toContain('# Pictures of chairs.');
    expect(text).toContain('# comes first');
    const { shape } = fitted(text);
    expect(shape).toMatchObject({ name: 'stools', batchSize: 7, maxRetries: 0 });
    expect(shape.nodes.map(({ enabled }) => enabled)).toEqual([true, false, true]);
    expect(shape.nodes[1]?.parentIds).toEqual(['take']);
  });

  test('mergeShown returns the difference instead of text if the nodes differ', () => {
    expect(mergePlatformPipeline(file, { ...shown, nodes: shown.nodes.slice(1) })).toEqual({
      differs:
        'the platform has nodes of the types model_ready, render, the file has connector_poll, model_ready, render',
    });
  });
});

describe('fileOfShown', () => {
  test('fileOfShown writes YAML that says what is missing, and merges back unchanged', () => {
    const text = formatPlatformFile({ ...shown, name: 'Nightly: "all"', nodes: shown.nodes });
    expect(text).toMatch(/^# The platform does not return/);
    expect(mergePlatformPipeline(text, { ...shown, name: 'Nightly: "all"' })).toEqual({ text });
  });

  test('fileOfShown assigns each node its own id, even if ids differ only in special characters or at the end', () => {
    const long = 'n'.repeat(80);
    const ids = ['a.b', 'a b', 'a-b-2', 'a/b', `${long}1`, `${long}2`];
    const nodes = ids.map((id) => ({ id, type: 'render', enabled: true }));
    const { nodes: written } = parse(formatPlatformFile({ ...shown, nodes })) as {
      nodes: { id: string }[];
    };
    const short = 'n'.repeat(56);
    expect(written.map(({ id }) => id)).toEqual([
      'a-b',
      'a-b-2',
      'a-b-2-2',
      'a-b-3',
      short,
      `${short}-2`,
    ]);
  });
});
