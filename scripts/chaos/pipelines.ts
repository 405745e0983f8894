// Writes the pipeline files of a round. JSON is valid YAML, so no value needs quoting.
import type { PipelineKind, PipelinePlan } from './plan.ts';

/** Returns the material of a pipeline's colorways. Each pipeline has its own, so that none finds another's colorway. */
export function materialOf({ name }: Pick<PipelinePlan, 'name'>): string {
  return `Red of ${name}`;
}

const small = {
  renderShots: false,
  renderVariants: false,
  imageCustomResolution: true,
  imageCustomWidth: 64,
  imageCustomHeight: 36,
};

/** File names that stay the same when a source is replaced, so that new outputs replace the old ones. */
const naming: Record<Exclude<PipelineKind, 'library'>, string> = {
  stills: '{{ key }}.{{ ext }}',
  several: '{{ key }}/{{ name }}.{{ ext }}',
  colorway: '{{ key }}-{{ variant }}.{{ ext }}',
  sheets: '{{ key }}-{{ variant }}.{{ ext }}',
  sharedFolder: '{{ key }}.{{ ext }}',
};

/** Returns the text of a pipeline's file. */
export function pipelineText(plan: PipelinePlan): string {
  const { name, kind, batchSize, limits } = plan;
  const path = { type: 'path', required: true };
  return JSON.stringify(
    {
      name,
      maxRetries: 2,
      batchSize,
      ...(limits ? { limits } : {}),
      parameters: { folder: path, out: path },
      connectors: {
        models: { type: 'local', path: '${{ params.folder }}' },
        pictures: { type: 'local', path: '${{ params.out }}' },
      },
      ...(kind === 'library'
        ? { records: 'pictures', nodes: [libraryNode] }
        : { nodes: nodesOf({ ...plan, kind }) }),
    },
    null,
    1,
  );
}

const libraryNode = {
  id: 'library',
  type: 'library_import',
  config: {
    connector: 'models',
    stableFor: '500ms',
    materials: { include: ['textures/**'] },
    decals: { include: ['decals/**'] },
    props: { include: ['props/**'] },
  },
};

function nodesOf(plan: PipelinePlan & { kind: keyof typeof naming }): object[] {
  const { kind, template } = plan;
  const makesColorway = kind === 'colorway' || kind === 'sheets';
  const swap = { matchText: 'body', matchMode: 'contains', material: materialOf(plan) };
  const colorway = { id: 'colour', type: 'variant', config: { swapRules: [swap] } };
  const shots = [{ id: 'shots', type: 'render', config: { settings: small } }];
  const middle: { id: string; type: string; config: object }[] = [
    { id: 'look', type: 'template_match', config: { default: template } },
    ...(makesColorway ? [colorway] : []),
    ...(kind === 'sheets' ? [] : shots),
  ];
  const deliver = {
    connector: 'pictures',
    naming: naming[kind],
    ...(kind === 'sheets' ? { what: ['production_files'] } : {}),
  };
  const take = { connector: 'models', stableFor: '500ms' };
  const nodes = [
    { id: 'take', type: 'connector_poll', config: take },
    { id: 'ready', type: 'model_ready' },
    ...middle,
    { id: 'deliver', type: 'export', config: deliver },
  ];
  return nodes.map((node, index) => {
    const parent = nodes[index - 1];
    return parent === undefined ? node : { ...node, parentIds: [parent.id] };
  });
}
