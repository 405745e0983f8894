// Generates llms.txt, which tells an AI assistant how to write a valid pipeline and how to repair an invalid one.

import { formatFieldLines } from '../../src/cli/api/schema-fields.ts';
import {
  configSchemaOf,
  connectorFieldsOf,
  createPipelineSchema,
} from '../../src/compile/schema.ts';
import { formatStarterPipeline } from '../../src/compile/starters/index.ts';
import type { AnnotatedSchema } from '../../src/compile/yaml/annotations.ts';
import { connectorTypes } from '../../src/connectors/index.ts';
import type { NodeType } from '../../src/engine/node-type.ts';
import { nodeTypes } from '../../src/features/index.ts';
import { filterForms } from '../../src/language/naming/name-filters.ts';
import { namingFields } from '../../src/language/naming/naming.ts';
import { problemCodes } from '../../src/language/problem-codes.ts';
import { formatPage, toCode } from './markdown.ts';
import { expressionVariables, positionOf } from './node-pages.ts';

/** Follows the convention of llmstxt.org: a title, a summary, sections, and links at the end. */
export function formatLlmsPage(): string {
  const { properties = {}, required = [] } = createPipelineSchema();
  const { nodes, ...others } = properties;
  return formatPage(
    '# Renderline',
    '> A workflow engine for 3D renders. A pipeline is one YAML file; its nodes form a graph with one root, and each asset (a model file, or an object of the rendering platform) moves from node to node independently. Renderline compiles the file to a plan and runs it durably on Temporal against a paid, rate-limited REST API.',
    `This file is for AI assistants that write or repair pipelines. It is generated from the program's schemas (\`npm run generate\`).`,
    '## How to work',
    workLoop,
    '## Rules that files most often break',
    rules,
    '## A complete file',
    `\`\`\`yaml\n${formatStarterPipeline('catalog', { models: 'models', folders: ['shoes'], timezone: 'Europe/Berlin' }).trimEnd()}\n\`\`\``,
    '## Fields of a file',
    formatFieldList({ properties: others, required }),
    '## Fields of every node',
    formatFieldList(nodes?.items ?? {}),
    '## Node types',
    'The node types are in their usual order. `needs` is what an asset must have before the node, `gives` what it has afterwards; Renderline rejects a graph in which something is missing.',
    ...nodeTypes.map(formatNode),
    '## Connectors',
    ...connectorTypes.map(
      (type) =>
        `### \`type: ${type.type}\`\n\n${type.summary}\n\n${formatFieldList(connectorFieldsOf(type))}`,
    ),
    '## Expressions',
    'CEL over one asset, in `when:`, in rules of `template_match`, in `where`. In YAML, put expressions in double quotes, and use single quotes inside: `when: "asset.folder.startsWith(\'shoes\') && asset.bytes > 1000000"`.',
    expressionVariables.map(([name, description]) => `- ${name}: ${description}`).join('\n'),
    '## Names of delivered files',
    `\`naming\` of \`export\`: a path with ${namingFields.map((field) => toCode(`{{ ${field} }}`)).join(', ')}. It must be different for each asset, so it usually contains \`{{ key }}\`. Filters: ${filterForms.map((form) => toCode(`| ${form}`)).join(', ')}.`,
    '## Problems that `validate` reports',
    Object.entries(problemCodes)
      .map(([name, { title, fix }]) => `- ${name}: ${title} ${fix}`)
      .join('\n'),
    '## Docs',
    links,
    '## Optional',
    optional,
  );
}

const workLoop = `1. Write the file. Start with \`renderline init --yes --for catalog|colorways|factory-sheets|events\`, or with the example below. Keep the first line: editors use it to check the file.
2. \`renderline validate FILE --json\`: exit code 0 and \`"valid": true\`, or \`problems[]\` with \`code\`, \`message\`, \`line\`, \`col\` and \`hint\`. Fix all problems at once, then validate again. Validation needs no platform and no network.
3. \`renderline graph FILE\` shows the order of the nodes.
4. \`renderline plan FILE --json\` (needs a platform; \`renderline dev\` has a sandbox): the number of assets, renders and requests, and in \`names\` the names in the file that the platform does not have. \`plan\` writes nothing.
5. A person decides whether to \`renderline run FILE --wait\`, because a run costs money. Exit code 0 complete, 1 the run failed or was cancelled, 2 wrong input, 3 some assets failed, 4 key rejected, 5 not found, 6 everything is paused, 7 waits for approval, 69 no server, 75 retry later.
6. \`renderline failures RUN --json\`, then \`renderline rerun RUN --failed --yes\`.`;

const rules = `- Exactly one root: a node without \`parentIds\`. All other nodes list their parents in \`parentIds: [id]\`. No other field defines the order.
- Fields of a node type belong under \`config:\`; \`id\`, \`type\`, \`parentIds\`, \`when\`, \`timeout\`, \`retry\`, \`enabled\` next to it. Unknown fields are errors.
- \`\${{ params.NAME }}\` is allowed in values only; if it is the whole value, it keeps its type. \`{{ key }}\` (without \`$\`) is different: it is a field of \`naming\` and of \`manifest.columns\`. \`metadata\` and \`set_properties\` take CEL in double braces: \`{{ asset.key }}\`, \`{{ asset.view }}\`, \`{{ row.sku }}\`.
- Quote values with braces: \`path: "\${{ params.folder }}"\`, \`naming: "{{ key }}.{{ ext }}"\`.
- \`connector:\` refers to an entry of \`connectors:\`, never to a path. Relative paths in a file are relative to the file.
- A file without \`export\` needs \`records: NAME_OF_A_CONNECTOR\`, where the results are recorded.
- Templates, materials and properties must exist in the workspace. Do not invent names: \`renderline api listTemplates\`, \`renderline api listMaterials\`. A parameter lets a person choose one: \`{ type: enum, values: { from: templates } }\`, or \`from: materials\`, \`from: properties\`.
- \`render\` creates the project and waits by itself; use \`project_created\` and \`render_complete\` only if something must happen in between.
- Never write a key or a password into a file: \`…From: RENDERLINE_SECRET_NAME\` refers to an environment variable.
- A pipeline with \`schedule:\` or an event trigger needs a \`default\` for each parameter (or \`schedule.parameters\`), and \`renderline apply FILE\`.`;

const links = `- [Tutorial](docs/tutorial.md): ten steps from an empty folder to a schedule
- [Pipeline files](docs/nodes/README.md): all fields with their meaning
- [Commands and exit codes](docs/commands.md): all commands, and the shapes of \`--json\`
- [Errors](docs/errors.md): every code with its fix
- [Colorways](docs/nodes/variant.md): as a list, a matrix or a table; [an example](pipelines/season.yaml)
- [Channels](docs/channels.md): images for shops and marketplaces
- [Connectors](docs/connectors.md): buckets, servers and their credentials
- [Schedules](docs/schedules.md) and [webhooks](docs/webhooks.md): what starts runs; [notices](docs/notices.md): who is notified of runs
- [Runs](docs/runs.md): pause, approval, reruns, cleaning
- [Common mistakes](docs/how-to/common-mistakes.md)`;

const optional = `- [MCP server](docs/mcp.md): operations of the platform as tools
- [API operations](docs/api.md)
- [Architecture](docs/architecture.md)
- [Examples](pipelines): each with its comments`;

function formatNode(type: NodeType): string {
  const { needs, gives, summary } = type;
  const facts = [
    `Position: ${positionOf(type)}.`,
    `Needs: ${needs.join(', ') || 'nothing'}.`,
    `Gives: ${gives.join(', ') || 'nothing new'}.`,
  ].join(' ');
  return formatPage(
    `### \`${type.type}\``,
    `${summary} ${facts}`,
    formatFieldList(configSchemaOf(type)) || 'No fields.',
  );
}

/** Formats one line per field. Omits the settings of a view, because they are the same as those of its node. */
function formatFieldList(schema: AnnotatedSchema): string {
  return formatFieldLines(schema)
    .filter(([field]) => field?.startsWith('views[].settings.') !== true)
    .map(([field = '', values = '', preset = '', meaning = '']) => {
      const mark =
        preset === 'required' ? ', required' : preset === '' ? '' : `, default ${preset}`;
      return `- \`${field}\` (${values}${mark})${meaning === '' ? '' : `: ${meaning}`}`;
    })
    .join('\n');
}
