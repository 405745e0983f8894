// Generates the pages of the node types: one page each, and an index with the fields of a pipeline file.

import { maxTimeoutMs } from '../../src/compile/checks/check-annotations.ts';
import { configSchemaOf, createPipelineSchema } from '../../src/compile/schema.ts';
import type { NodeType } from '../../src/engine/node-type.ts';
import { nodeTypes } from '../../src/features/index.ts';
import { dimensionNames } from '../../src/language/dimension-names.ts';
import { formatDuration } from '../../src/language/duration.ts';
import { filterForms } from '../../src/language/naming/name-filters.ts';
import { type NamingField, namingFields } from '../../src/language/naming/naming.ts';
import { formatFieldTable } from './field-tables.ts';
import { formatPage, formatTable, generatedNote, toCode } from './markdown.ts';

/** Formats the page of one node type. */
export function formatNodePage(type: NodeType): string {
  const { profile } = type;
  const modeRows =
    profile === undefined
      ? [['mode', '`connector_poll` checks the rules of this node before the upload']]
      : [
          ['mode', type.mode === 'wait' ? 'waits: only polls, never writes' : 'does work'],
          ['assets per activity', `at most ${profile.batch}`],
          [
            '`timeout`',
            `default ${profile.timeout}, at most ${type.maxTimeout ?? formatDuration(maxTimeoutMs)}`,
          ],
        ];
  const facts = formatTable(
    ['', ''],
    [
      ['position in the graph', positionOf(type)],
      ['needs', type.needs.join(', ') || 'nothing'],
      ['gives', type.gives.join(', ') || 'nothing new'],
      ...modeRows,
    ],
  );
  const fields = formatFieldTable(configSchemaOf(type));
  return formatPage(
    generatedNote,
    `# ${toCode(type.type)}`,
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

/** Describes where in the graph a node of the type may be. */
export function positionOf({ root }: NodeType): string {
  if (root === undefined) return 'after parents';
  if (root.by.length === 0) return 'root of a pipeline, without parents';
  return `after parents, or root of a pipeline with ${root.by.map(toCode).join(' or ')}`;
}

/** Formats the index page, which lists the node types and describes the other parts of a pipeline file. */
export function formatNodeIndex(): string {
  const { properties = {}, required = [] } = createPipelineSchema();
  const { nodes, ...others } = properties;
  const rows = nodeTypes.map(({ type, summary, needs, gives }) => [
    `[${toCode(type)}](${type}.md)`,
    summary,
    needs.join(', '),
    gives.join(', '),
  ]);
  return formatPage(
    generatedNote,
    '# Pipeline files',
    'A pipeline is one YAML file. Its nodes form a graph with one root; each asset moves from node to node independently. Editors with YAML support complete and check it with the schema in its first line (`# yaml-language-server: $schema=renderline.schema.json`). `renderline init` writes the file and the schema, `renderline schema` prints the schema, and `renderline validate` lists all problems at once. Start from [`pipelines/catalog.yaml`](../../pipelines/catalog.yaml).',
    '## Node types',
    formatTable(['type', 'does', 'needs', 'gives'], rows),
    '## Fields of a file',
    formatFieldTable({ properties: others, required }),
    '## Fields of every node',
    formatFieldTable(nodes?.items ?? {}, ['config']),
    '`config` contains the fields of the node type. Several files can [share connectors and defaults](../how-to/shared-parts.md).',
    '## Values given when a run starts',
    '`${{ params.NAME }}` is allowed in any value except `name`, `include`, `parameters`, and `id`, `type` and `parentIds` of a node. If it is the whole value, it keeps its type: `imageQuality: "${{ params.quality }}"` is a number.',
    '## Conditions',
    '`when:` is [CEL](https://cel.dev) over one asset, such as `asset.bytes > 1000000 && asset.folder.startsWith("shoes")`. If it is false, the asset skips the node. `renderline plan` evaluates the condition in advance if the file, table or list provides the values; otherwise it shows "at most".',
    formatTable(['variable', 'is'], expressionVariables),
    '## Files that change',
    filesThatChange,
    '## Names of delivered files',
    `\`naming\` of \`export\` is a path with fields in double braces. Columns of a manifest support these fields and more.`,
    formatTable(
      ['field', 'is'],
      [
        ...namingFields.map((field) => [toCode(`{{ ${field} }}`), namingFieldTexts[field]]),
        ['`{{ row.COLUMN }}`', "the value in the asset's row of a table under `data:`"],
      ],
    ),
    `A \`/\` in the key creates folders. In every other field, \`/\` and all characters that a disk refuses become \`-\`, and a short hash is appended, so that no two values share a name. Filters change a field before this replacement: ${filterForms.map((form) => toCode(`| ${form}`)).join(', ')}. \`{{ index | pad(2) }}\` is \`01\`; for \`Black/White\`, \`{{ colorway | slug }}\` is \`black-white\`.`,
    'Without `{{ key }}`, the data must make the names unique: an asset that would get the name of another is refused before anything is paid for.',
    '## Durations',
    '`500ms`, `30s`, `15m`, `1h30m`, `2d`.',
  );
}

const namingFieldTexts: Readonly<Record<NamingField, string>> = {
  key: 'key of the asset as a path: the path of its file without extension; in a grid `chair@Oak@front` gives `chair/Oak/front`',
  name: "last part of the model's key: `oslo` in `chairs/oslo`",
  output: "the platform's name for the picture, such as `chair - Main`",
  index: 'number of the picture within its asset, starting at 1',
  ext: 'file extension of the format',
  model: 'id of the model on the platform',
  project: 'id of the project on the platform',
  template: 'id of the template on the platform',
  run: 'id of the run',
  variant: 'name of the variant, if `variant` has chosen exactly one',
  colorway: 'name of the colorway, in a grid',
  view: 'name of the view, if `render` has `views`',
  bookmark:
    'the bookmark, if `render` requests one bookmark and no shots: outputs do not say what they show',
  shot: 'the shot, if `render` requests one shot and no bookmarks',
};

const filesThatChange = `The platform cannot replace the file of a model or of a library item, so a changed file becomes a new model or item. \`supersede: keep\` (the default) keeps the old object; \`renderline clean\` lists and deletes such superseded objects. With \`supersede: delete-after-success\` the old object is deleted when the new version is \`complete\`: first the project with its renders on the platform, then the model; for \`library_import\` the old prop, decal or material. Failed versions in between are deleted too. Delivered files stay.

- An asset that failed, was skipped or was cancelled keeps its old model. So does an asset whose file is unchanged but whose recipe has changed: the results of the old recipe are kept in case that recipe returns. \`renderline clean\` deletes them when the file no longer uses that recipe.
- Only objects that this pipeline uploaded are deleted. A pipeline that starts from existing platform objects cannot use this option (\`RL414\`).
- The platform removes a deleted model from every project, including those of other pipelines and of people, and a deleted material from every surface and colorway. Renderline does not check who else uses them.
- \`plan\` shows the number of deletions and counts their requests; \`show\` lists what was deleted. If the platform refuses a deletion, or does not respond within ten minutes, a warning lists the ids; \`renderline clean\` finds them later. What a cancelled run did not delete is deleted by the next run that processes the file.`;

export const expressionVariables: readonly (readonly [string, string])[] = [
  ['`asset.key`', "the asset's business key"],
  [
    '`asset.path`, `asset.folder`',
    'path below the connector, and its folder; for a platform object its name',
  ],
  [
    '`asset.name`, `asset.extension`',
    'file name without extension, and the extension in lower case',
  ],
  ['`asset.id`', 'platform id of an object from `select`; empty for a file'],
  ['`asset.bytes`, `asset.modifiedAt`', 'size, and time of the last change'],
  [
    dimensionNames.map((name) => `\`asset.${name}\``).join(', '),
    'position of a grid cell in this dimension; otherwise empty',
  ],
  ['`params.NAME`', 'a parameter of the run'],
  ['`row.NAME`', "a column of the asset's row in a table under `data:`"],
  ['`model.id`, `model.category`', 'id and category of the model; available once the model exists'],
  [
    '`model.properties.NAME`',
    'only in `when:` of a node that does work; a property of the platform, read when the node begins',
  ],
  ['`template.id`', 'id of the template; available after `template_match`'],
  ['`project.id`', 'id of the project; available once the project exists'],
  ['`variant.id`, `variant.name`, `variant.isNew`', 'only in `where` of `variant`'],
];
