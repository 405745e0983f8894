// The pages of the node types: one each, and one that lists them with what a file may hold.

import { nodeTypes } from '../capabilities/index.ts';
import { longestTimeoutMs } from '../compile/checks/check-marks.ts';
import { configSchema, pipelineSchema } from '../compile/schema.ts';
import { formatDuration } from '../language/duration.ts';
import { namingFields } from '../language/naming.ts';
import type { NodeType } from '../machinery/node-type.ts';
import { code, generatedNote, page, table } from './markdown.ts';
import { fieldTable } from './schema-fields.ts';

/** The page of one node type. */
export function nodePage(type: NodeType): string {
  const { profile } = type;
  const facts = table(
    ['', ''],
    [
      ['place', placeOf(type)],
      ['needs', type.needs.join(', ') || 'nothing'],
      ['gives', type.gives.join(', ') || 'nothing new; holds or delivers'],
      ['way of working', type.mode === 'wait' ? 'waits: only looks, never writes' : 'does work'],
      ['assets in one activity', `at most ${profile.batch}`],
      [
        '`timeout`',
        `${profile.timeout} unless told otherwise, at most ${type.longestTimeout ?? formatDuration(longestTimeoutMs)}`,
      ],
    ],
  );
  const fields = fieldTable(configSchema(type));
  return page(
    generatedNote,
    `# ${code(type.type)}`,
    type.summary,
    type.docs,
    facts,
    '## Fields of `config`',
    fields || 'None.',
    '`id`, `enabled`, `parentIds`, `when`, `timeout` and `retry` are fields of [every node](README.md#fields-of-every-node).',
    '## Example',
    `\`\`\`yaml\n${type.example.trimEnd()}\n\`\`\``,
  );
}

function placeOf({ root }: NodeType): string {
  if (root === undefined) return 'after parents';
  if (root.by.length === 0) return 'root of a pipeline, takes no parents';
  return `after parents, or root of a pipeline with ${root.by.map(code).join(' or ')}`;
}

/** The list of node types, and the rest of a pipeline file. */
export function nodeIndex(): string {
  const { properties = {}, required = [] } = pipelineSchema();
  const { nodes, ...others } = properties;
  const rows = nodeTypes.map(({ type, summary, needs, gives }) => [
    `[${code(type)}](${type}.md)`,
    summary,
    needs.join(', '),
    gives.join(', '),
  ]);
  return page(
    generatedNote,
    '# Pipeline files',
    'A pipeline is one YAML file. Its nodes make a graph with one root; each asset goes from node to node on its own. Editors with support for YAML complete and check it by the schema that its first line names (`# yaml-language-server: $schema=renderline.schema.json`); `renderline init` writes both, `renderline schema` prints the schema, `renderline validate` says everything that is wrong at once, and [`pipelines/catalog.yaml`](../../pipelines/catalog.yaml) is one to start from.',
    '## Node types',
    table(['type', 'does', 'needs', 'gives'], rows),
    '## Fields of a file',
    fieldTable({ properties: others, required }),
    '## Fields of every node',
    fieldTable(nodes?.items ?? {}, ['config']),
    '`config` holds the fields of the node type.',
    '## Values given when a run starts',
    '`${{ params.NAME }}` may stand wherever a value stands, except in `name`, in `parameters` and in `id`, `type` and `parentIds` of a node. Where it is the whole value it keeps its type: `imageQuality: "${{ params.quality }}"` is a number.',
    '## Conditions',
    '`when:` is [CEL](https://cel.dev) over one asset, such as `asset.bytes > 1000000 && asset.folder.startsWith("shoes")`. Where it is false the asset passes over the node. `renderline plan` decides it beforehand as far as file, table and list tell, and says "at most" of the rest.',
    table(['variable', 'is'], expressionVariables),
    '## Files that change',
    filesThatChange,
    '## Names of delivered files',
    `\`naming\` of \`export\` is a path with ${namingFields.map((field) => code(`{{ ${field} }}`)).join(', ')}. A \`/\` in the key makes folders. \`{{ variant }}\` is known where \`variant\` has chosen one, \`{{ bookmark }}\` where \`render\` asks for one bookmark and no shots, \`{{ shot }}\` where it asks for one shot and no bookmarks: no output says what it shows.`,
    '## Durations',
    '`500ms`, `30s`, `15m`, `1h30m`, `2d`.',
  );
}

const filesThatChange = `The platform cannot replace the file of a model or of a library item, so a file that changed becomes a new one. \`supersede: keep\` (the default) leaves the old one where it is; \`renderline clean\` shows and deletes what is left so. With \`supersede: delete-after-success\` it is deleted once the new version has come to its end \`complete\`: the project first, with its renders on the platform, then the model; of \`library_import\` the old prop, decal or material. Versions in between that failed go with it. Delivered files stay.

- An asset that failed, was passed over or was cancelled keeps its old model, and so does one whose file is the same under another recipe; what it became under the recipe before stays for when that comes back, and is for \`renderline clean\` once the file has it no more.
- Only what this pipeline uploaded is ever deleted. A pipeline that begins with what the platform has cannot say it (\`RL414\`).
- The platform takes a deleted model out of every project, also those of other pipelines and of people, and a deleted material off every surface and colorway. Who else uses them is not looked up.
- \`plan\` says how many there are and counts their requests; \`show\` says what is gone. What the platform refuses to delete is a warning with its ids, and so is what it could not be asked for in ten minutes; \`renderline clean\` finds both. What a cancelled run has not come to is deleted by the next run that takes the file.`;

/** Variables of expressions, as the pages describe them. */
export const expressionVariables: readonly (readonly [string, string])[] = [
  ['`asset.key`', "the asset's business key"],
  [
    '`asset.path`, `asset.folder`',
    'path below the connector, and its folder; name of a platform object',
  ],
  [
    '`asset.name`, `asset.extension`',
    'file name without extension, and the extension in small letters',
  ],
  ['`asset.id`', 'platform id of what `select` took; empty for a file'],
  ['`asset.bytes`, `asset.modifiedAt`', 'size, and time of the last change'],
  ['`asset.colorway`, `asset.view`', 'of a cell of a grid; else empty'],
  ['`params.NAME`', 'a parameter of the run'],
  ['`model.id`, `model.category`', 'after the model is there'],
  ['`template.id`', 'after `template_match`'],
  ['`project.id`', 'after the project is there'],
  ['`variant.id`, `variant.name`, `variant.isNew`', 'only in `where` of `variant`'],
];
