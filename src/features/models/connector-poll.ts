import { z } from 'zod';
import { defineNode } from '../../engine/node-type.ts';
import { toDurationMs } from '../../language/duration.ts';
import { connectorName, duration, globs } from '../../language/fields.ts';
import { createFileFilter } from '../../store/discovery/file-filter.ts';
import { createFileLister } from '../../store/discovery/list-files.ts';
import { ingest } from './ingest.ts';

const modelExtensions = ['glb', 'gltf', 'fbx', 'obj', 'usdz'] as const;

const Config = z.strictObject({
  connector: connectorName,
  include: globs
    .min(1)
    .default([`**/*.{${modelExtensions.join(',')}}`])
    .describe('Globs of files to include, matched case-insensitively.'),
  exclude: globs
    .default([])
    .describe('Globs of files to exclude. Hidden and temporary files are always excluded.'),
  stableFor: duration('A file that changed within this time is left for the next run.').default(
    '1s',
  ),
  list: z
    .strictObject({
      table: z
        .string()
        .min(1)
        .describe('Name of a table under `data:`.')
        .meta({ reference: 'table' }),
      file: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .describe('Heading of the column that contains the file, as a path below the connector.'),
    })
    .optional()
    .describe(
      'Processes the files in the rows of a table instead of all files: each row is an asset with the key of the row. Rows without a file are left out.',
    ),
  category: z.string().min(1).optional().describe('Category of every model.'),
  identity: z
    .enum(['path', 'content'])
    .optional()
    .describe(
      'How a later run recognizes a file: by its path, or by its content at any path. Default: path. With `content`, a moved or renamed file keeps the model, the project and the renders of its old key, and nothing is paid for again.',
    ),
});

export const connectorPoll = defineNode({
  type: 'connector_poll',
  summary: 'Upload new and changed files from a connector as models.',
  docs: `Lists the connector, compares size and time (or ETag) with the asset records of earlier runs, and
takes the files that are new or changed. Each file becomes one asset. Its key is the path without extension
unless the file sets \`key:\`.

An incomplete GLB is detected by its length, and an incomplete glTF by its syntax. An incomplete file of another type may look
complete, so a file that changed a short time ago is read twice, and is taken if size and time stay the same: 5 seconds apart in
a folder, for files younger than 5 minutes; 10 seconds apart on a server, for files younger than a day, because the server's clock
may be wrong. Buckets show only complete files. \`stableFor: 0s\` skips this check.

A changed file becomes a new model. The old model and its project stay, unless the file sets \`supersede: delete-after-success\`
([files that change](README.md#files-that-change)).

With \`list\` the rows of a table under \`data:\` are the assets, and a column names [the file of each](../how-to/table-as-work-list.md).
Only files that rows name are read. Several rows may name the same file: each row is an asset that uploads the file.

With \`identity: content\` a file that was moved or renamed is [the same asset under another
key](../runs.md#when-files-move). Files are read only if a file on record has the same size. A copy of a file that still exists is
a separate asset.

Files are uploaded in unified jobs of 50 (two requests for 50 files). Files that need a category, large files
and files that a job refused are uploaded one by one. Unreadable files, and files without the slots that
swap rules and colorways name, are refused before the upload, with the reason; \`plan\` applies the same
rules. Problems that viewers tolerate only cause a warning, as do models whose materials or textures
are in other files, because only one file per model is uploaded.`,
  example: `name: take-files
parameters:
  folder: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
records: models
nodes:
  - id: take
    type: connector_poll
    config: { connector: models, include: ["**/*.glb"] }
`,
  config: Config,
  mode: 'call',
  checksDemands: true,
  submits: true,
  root: {
    from: 'files',
    by: [],
    providedResources: () => [],
    files: (config) => ({ connector: config.connector, takes: createFileFilter(config) }),
    category: ({ category = null }) => category,
    identity: ({ identity = 'path' }) => identity,
    listedBy: ({ list }) => list ?? null,
    list({ connector, include, exclude, stableFor }, { node, now, getConnector, rows }) {
      const input = {
        connector: getConnector(connector),
        config: { include, exclude, stableForMs: toDurationMs(stableFor) },
        node,
        now,
      };
      return rows?.listing?.lister(input) ?? createFileLister(input);
    },
  },
  needs: [],
  gives: ['model'],
  profile: { batch: 50, startToClose: '2h', heartbeat: '20s', timeout: '6h' },
  stage: 'source',
  recipe: ['category'],
  route: ({ category }, batch) =>
    category === undefined
      ? `uploads in unified jobs of up to ${batch} files, 2 requests per job; large files, and files that a job refused, one by one`
      : 'uploads one by one, because job items take no category',
  cost: {
    // A job takes 50 files with two requests but no category. Models with a category are confirmed singly.
    requests({ assets, batch, config }) {
      const groups = Math.ceil(assets / batch);
      if (config['category']) return { createModels: groups, confirmModel: assets };
      return { createJob: groups, confirmJobUploads: groups };
    },
    creates: () => 'model',
  },
  run: ingest,
});
