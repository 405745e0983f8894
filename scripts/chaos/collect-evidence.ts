// Collects the evidence of a round once all of its processes have ended.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type {
  LibraryEvidence,
  PipelineEvidence,
  PlatformState,
  RawClaim,
  RawRecord,
  Row,
} from './check/evidence.ts';
import type { PipelinePlan } from './plan.ts';
import type { Platform } from './platform.ts';
import { keysOf, pipelinePaths, type SourceHashes } from './sources.ts';

const tables = [
  'models',
  'projects',
  'renderJobs',
  'outputs',
  'colorwayJobs',
  'captures',
  'exports',
  'productionFiles',
  'templates',
  'props',
  'decals',
  'materials',
] as const;

/** Reads the platform's tables, including rows that have been deleted since. */
export async function readPlatformState({
  journals,
  data,
}: Pick<Platform, 'journals' | 'data'>): Promise<PlatformState> {
  const rows = new Map<string, Map<string, Row>>(tables.map((name) => [name, new Map()]));
  for (const journal of journals) {
    for (const line of (await readFile(journal, 'utf8')).split('\n').slice(0, -1)) {
      for (const [table, id, row] of JSON.parse(line) as [string, string, Row | null][]) {
        const previousRow = rows.get(table)?.get(id);
        if (row !== null) rows.get(table)?.set(id, row);
        else if (previousRow) rows.get(table)?.set(id, { ...previousRow, deleted: true });
      }
    }
  }
  const rowsOf = (name: (typeof tables)[number]) => [...(rows.get(name)?.values() ?? [])];
  const outputs = rowsOf('outputs');
  const productionFiles = rowsOf('productionFiles');
  return {
    starts: journals.length,
    models: rowsOf('models'),
    projects: rowsOf('projects'),
    renderJobs: rowsOf('renderJobs'),
    outputs,
    colorwayJobs: rowsOf('colorwayJobs'),
    captures: rowsOf('captures'),
    exports: rowsOf('exports'),
    productionFiles,
    templates: rowsOf('templates'),
    items: [...rowsOf('props'), ...rowsOf('decals'), ...rowsOf('materials')],
    contents: await readContents(data, outputs, productionFiles),
  };
}

async function readContents(data: string, outputs: readonly Row[], sheets: readonly Row[]) {
  const contents = new Map<string, string>();
  for (const { id, file } of outputs) {
    if (typeof file === 'string') contents.set(id, await hashOf(join(data, 'pictures', file)));
  }
  const fileNames = await readdir(join(data, 'files'));
  for (const { id } of sheets) {
    const name = fileNames.find((file) => file.includes(id) && file.endsWith('.pdf'));
    if (name !== undefined) contents.set(id, await hashOf(join(data, 'files', name)));
  }
  return contents;
}

async function hashOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

const publicTemplates: Readonly<Record<string, string>> = {
  'Studio White': 'tpl-studio-white',
  'Hero Dark': 'tpl-hero-dark',
};

const recordsFolder = '.renderline/';
const temporary = /(^|\/)\.rl-|\.tmp$|\.partial$|~$/;
/** Folder of the pages of one discovery attempt. Nothing is written to it again after its worker is killed. */
const abandonable = /\/manifest\/[0-9a-f]{12}\//;

interface RoundInputs {
  root: string;
  pipelines: readonly PipelinePlan[];
  sources: SourceHashes;
  platformState: PlatformState;
}

/** Reads what a pipeline has delivered and recorded at its destination. */
export async function readPipeline(
  plan: PipelinePlan,
  inputs: RoundInputs,
): Promise<PipelineEvidence> {
  const { out } = pipelinePaths(inputs.root, plan);
  const { paths, ...evidence } = await readStoredRecords(plan, inputs);
  const hashByPath = new Map<string, string>();
  for (const path of paths) {
    if (path.startsWith(recordsFolder) || temporary.test(path)) continue;
    hashByPath.set(path, await hashOf(join(out, path)));
  }
  return {
    ...evidence,
    sharingPipelines: inputs.pipelines.filter(({ folder }) => folder === plan.folder).length,
    outputs: plan.kind === 'several' ? 3 : 1,
    ...(plan.limits ? { limits: plan.limits } : {}),
    templateId: templateIdOf(plan, inputs.platformState),
    delivered: hashByPath,
  };
}

/** Reads what a pipeline of library items has recorded. */
export async function readLibrary(
  plan: PipelinePlan,
  inputs: Pick<RoundInputs, 'root' | 'sources'>,
): Promise<LibraryEvidence> {
  const { paths: _paths, ...evidence } = await readStoredRecords(plan, inputs);
  return evidence;
}

async function readStoredRecords(
  plan: PipelinePlan,
  { root, sources }: Pick<RoundInputs, 'root' | 'sources'>,
): Promise<LibraryEvidence & { paths: string[] }> {
  const { out } = pipelinePaths(root, plan);
  const paths = await filesBelow(out);
  const jsons = async <T>(folder: string) => {
    const pathsInFolder = paths.filter(
      (path) => path.split('/')[2] === folder && !temporary.test(path),
    );
    const parsedFiles = pathsInFolder.map(async (file) => ({
      file,
      ...(JSON.parse(await readFile(join(out, file), 'utf8')) as T),
    }));
    return Promise.all(parsedFiles);
  };
  return {
    name: plan.name,
    sources: new Map(keysOf(plan).map((key) => [key, sources.get(key) ?? []])),
    temporary: paths.filter((path) => temporary.test(path) && !abandonable.test(path)),
    records: await jsons<RawRecord>('records'),
    claims: await jsons<RawClaim>('claims'),
    paths,
  };
}

function templateIdOf({ template }: PipelinePlan, { templates }: PlatformState): string {
  return publicTemplates[template] ?? templates.find(({ name }) => name === template)?.id ?? '';
}

const signature = /[?&]signature=[\w-]{16,}/;

/** Finds the round's files that contain a secret, except for the platform's own files. */
export async function findLeaks(root: string, apiKey: string): Promise<string[]> {
  const base64 = Buffer.from(apiKey).toString('base64').replace(/=+$/, '');
  const leaks: string[] = [];
  for (const path of await filesBelow(root)) {
    if (/^(platform\/|journal-|platform\.log)/.test(path)) continue;
    const text = await readFile(join(root, path), 'latin1');
    if (text.includes(apiKey) || text.includes(base64) || signature.test(text)) leaks.push(path);
  }
  return leaks;
}
