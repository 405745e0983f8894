// Tests the effect of each part of a real response that is missing, null or of another type: none, an item that is left
// out, or an error. Also tests lenient reading.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { OperationRow } from '../../src/api/contract/operation.ts';
import { readOutput } from '../../src/api/decode.ts';
import { ResponseShapeError } from '../../src/api/errors/errors.ts';
import { type OperationId, operations } from '../../src/api/operations/index.ts';
import type { Anomaly } from '../../src/api/responses/response-reader.ts';
import { AlteredPlatform } from '../engine/_altered-platform.ts';
import { library, pictures, sheets } from '../engine/_altered-runs.ts';
import { knownValues, otherCase, otherType } from './_altered-parts.ts';

interface Needs {
  /** Without these parts, the response cannot be read. */
  answer?: readonly string[];
  /** These parts may be absent, but their values must be valid. */
  ifThere?: readonly string[];
  /** If one of these parts is missing, the item is left out. */
  item?: readonly string[];
}

/** The parts of all operations that runs, discovery and polls need. Other parts of a response do not matter. */
const table: Partial<Record<OperationId, Needs>> = {
  getMe: { answer: ['workspace', 'workspace.id'] },
  listModels: { answer: ['models'], item: ['models.*', 'models.*.modelId'] },
  getModel: { answer: ['modelId'] },
  createModels: {
    answer: ['models'],
    item: ['models.*', 'models.*.modelId', 'models.*.name'],
  },
  confirmModel: {},
  checkModelStatus: {
    answer: ['models'],
    item: ['models.*', 'models.*.modelId', 'models.*.status'],
  },
  createJob: {
    answer: ['jobId', 'models'],
    item: ['models.*', 'models.*.id', 'models.*.fileName'],
  },
  confirmJobUploads: {},
  listModelVariants: { answer: ['variants'], item: ['variants.*'] },
  listProjects: {
    answer: ['projects'],
    item: ['projects.*', 'projects.*.projectId', 'projects.*.modelIds', 'projects.*.modelIds.*'],
  },
  getProject: { answer: ['projectId', 'modelIds', 'modelIds.*'] },
  createProjects: {
    answer: ['projects'],
    item: ['projects.*', 'projects.*.projectId', 'projects.*.modelIds', 'projects.*.modelIds.*'],
  },
  listRenders: {
    answer: ['renders'],
    item: ['renders.*', 'renders.*.id', 'renders.*.projectId'],
  },
  createRenders: {
    answer: ['batchId', 'jobs'],
    item: ['jobs.*', 'jobs.*.jobId', 'jobs.*.projectId'],
  },
  getRenderBatch: { answer: ['jobs'], item: ['jobs.*', 'jobs.*.jobId', 'jobs.*.status'] },
  getRenderJob: {
    answer: ['status', 'renders.*', 'renders.*.id', 'renders.*.filePath', 'renders.*.fileType'],
    ifThere: ['renders'],
  },
  listTemplates: { answer: ['templates'], item: ['templates.*', 'templates.*.templateId'] },
  listProperties: {
    answer: ['properties'],
    item: [
      'properties.*',
      'properties.*.id',
      'properties.*.type',
      'properties.*.options.*',
      'properties.*.options.*.id',
    ],
  },
  createProps: { answer: ['props'], item: ['props.*', 'props.*.propId', 'props.*.name'] },
  confirmProp: {},
  checkPropStatus: { answer: ['props'], item: ['props.*', 'props.*.propId', 'props.*.status'] },
  createDecals: { answer: ['decals'], item: ['decals.*', 'decals.*.decalId', 'decals.*.name'] },
  confirmDecal: {},
  checkDecalStatus: {
    answer: ['decals'],
    item: ['decals.*', 'decals.*.decalId', 'decals.*.status'],
  },
  createMaterial: {
    answer: ['materialId', 'uploadedTypes', 'uploadedTypes.*'],
    item: ['uploads.*', 'uploads.*.channel', 'uploads.*.uploadUrl'],
  },
  confirmMaterial: {},
  checkMaterialStatus: {
    answer: ['materials'],
    item: ['materials.*', 'materials.*.materialId', 'materials.*.status'],
  },
  listMaterials: { answer: ['materials'], item: ['materials.*', 'materials.*.materialId'] },
  getMaterial: { answer: ['materialId'] },
  createColorwayBatch: { answer: ['batchId'] },
  getColorwayBatch: {
    answer: ['jobs'],
    item: ['jobs.*', 'jobs.*.id', 'jobs.*.baseModelId', 'jobs.*.status'],
  },
  exportProductionFile: { answer: ['status'], ifThere: ['id', 'productionFile'] },
  getProductionFileExport: {
    answer: ['status', 'productionFile.id'],
    ifThere: ['id', 'productionFile'],
  },
  listProductionFiles: {
    answer: ['productionFiles'],
    item: ['productionFiles.*', 'productionFiles.*.id'],
  },
};

const answers = new Map<OperationId, unknown>();
let platform: AlteredPlatform;

beforeAll(async () => {
  platform = await AlteredPlatform.start();
  const [chair] = await pictures(platform, ['chair']);
  await sheets(platform);
  await library(platform);
  const { client, run } = platform;
  const { modelId = '', projectId = '', jobId = '' } = chair?.platformIds ?? {};
  await client.getMe();
  await client.listModels();
  await client.getModel({ params: { modelId } });
  await client.listProjects();
  await client.getProject({ params: { projectId } });
  await client.getRenderJob({ params: { jobId } });
  const body = { name: 'Season', type: 'SELECT', options: ['Winter', 'Summer'] } as const;
  await client.createProperty({ body: { ...body, options: [...body.options] } });
  await client.listProperties();
  const [decal] = (await client.listDecals()).decals;
  await client.checkDecalStatus({ body: { decalIds: [decal?.decalId ?? ''] } });
  const materialId = await run.material('Ash');
  await client.getMaterial({ params: { materialId } });
  for (const [operation, answer] of platform.answers) answers.set(operation, answer);
});
afterAll(() => platform.stop());

type Path = readonly (string | number)[];

const starred = (path: Path) =>
  path.map((step) => (typeof step === 'number' ? '*' : step)).join('.');

/** Every part of a value, and of the first item of each list. */
function* partsOf(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (Array.isArray(value)) {
    if (value.length > 0) yield* partsOf(value[0], [...path, 0]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) yield* partsOf(part, [...path, name]);
  }
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, step) => (part as Record<string, unknown>)?.[step], value);
}

type Edit = (value: unknown) => unknown;
const missing: Edit = () => undefined;

function edited(body: unknown, path: Path, edit: Edit): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return edit(body);
  const copy = structuredClone(body) as Record<string | number, unknown>;
  const part = edited(copy[step], rest, edit);
  if (part === undefined && !Array.isArray(copy)) delete copy[step];
  else copy[step] = part;
  return copy;
}

interface Read {
  output: unknown;
  anomalies: readonly Anomaly[];
  error: ResponseShapeError | null;
}

function read(operation: OperationId, body: unknown): Read {
  try {
    return { ...readOutput(operations[operation], 200, body), error: null };
  } catch (error) {
    if (!(error instanceof ResponseShapeError)) throw error;
    return { output: null, anomalies: [], error };
  }
}

function expectedLoss({ answer, ifThere, item }: Needs, name: string, isWrong: boolean): string {
  if (answer?.includes(name) || (isWrong && ifThere?.includes(name))) return 'answer';
  return item?.includes(name) ? 'item' : 'nothing';
}

/** What is lost: nothing, an item of a list, or the response. */
function lossOf({ error, output }: Read): string {
  if (error) return 'answer';
  return unreadIn(output) > 0 ? 'item' : 'nothing';
}

function unreadIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = (value as { unread?: number }).unread ?? 0;
  return Object.values(value).reduce<number>((sum, part) => sum + unreadIn(part), own);
}

const ids = Object.keys(table) as OperationId[];

/** The schema of a part. Undefined for parts that the row does not name. */
function schemaAt(operation: OperationId, path: Path): z.ZodType | undefined {
  let schema: z.ZodType | undefined = (operations[operation] as OperationRow).response as z.ZodType;
  for (const step of path) {
    while (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
      schema = schema.unwrap() as z.ZodType;
    }
    if (schema instanceof z.ZodArray) schema = schema.element as z.ZodType;
    else if (schema instanceof z.ZodObject) schema = schema.shape[step] as z.ZodType | undefined;
    else return undefined;
  }
  return schema;
}

describe('a response of the sandbox', () => {
  it.each(ids)(
    'the response of %s matches its schema and is read without anomalies',
    (operation) => {
      const body = answers.get(operation);
      const { response } = operations[operation] as OperationRow;
      if (response === 'redirect') throw new Error('redirects have no body');
      expect(response.safeParse(body).error?.issues ?? []).toEqual([]);
      expect(read(operation, body)).toMatchObject({ error: null, anomalies: [] });
    },
  );
});

describe.each<[string, Edit]>([
  ['missing', missing],
  ['null', () => null],
  ['of another type', otherType],
])('a part of a response that is %s', (what, edit) => {
  it.each(ids)('only the expected parts of the response of %s are lost', (operation) => {
    const body = answers.get(operation);
    const needs = table[operation] ?? {};
    const found: Record<string, string> = {};
    const expected: Record<string, string> = {};
    for (const path of partsOf(body)) {
      const name = starred(path);
      const schema = schemaAt(operation, path);
      // Nullable parts, and lists with missing items, are still valid.
      const isFine =
        (what !== 'of another type' && schema?.safeParse(null).success === true) ||
        (what === 'missing' && name.endsWith('*'));
      if (isFine) continue;
      expected[name] = expectedLoss(needs, name, what === 'of another type');
      const result = read(operation, edited(body, path, edit));
      found[name] = lossOf(result);
      if (result.error) {
        expect(result.error.operation).toBe(operation);
        expect(`${starred(result.error.path.split('.').map(stepOf))}.`).toContain(`${name}.`);
      } else if (found[name] === 'item') {
        expect(result.anomalies.map((anomaly) => anomaly.path)).toContainEqual(
          expect.stringMatching(`^${name.replaceAll('*', '\\*')}`),
        );
      }
    }
    expect(Object.keys(expected).length).toBeGreaterThan(0);
    expect(found).toEqual(expected);
  });
});

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function stepOf(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text;
}

describe('lenient reading', () => {
  it.each(ids)('the response of %s may have additional fields, which are ignored', (operation) => {
    const body = answers.get(operation);
    const more = JSON.parse(JSON.stringify(body), (_, value: unknown) =>
      // The entries of a record are its values, not additional fields.
      isObject(value) && !Object.values(value).every((part) => typeof part === 'number')
        ? { ...value, zzz: { further: [1] } }
        : value,
    ) as unknown;
    const { output, anomalies, error } = read(operation, more);
    expect([error, anomalies]).toEqual([null, []]);
    const without = JSON.parse(JSON.stringify(output ?? null), (name, value: unknown) =>
      name === 'zzz' ? undefined : value,
    ) as unknown;
    expect(without).toEqual(JSON.parse(JSON.stringify(read(operation, body).output ?? null)));
  });

  it.each(ids)(
    'the response of %s may have numbers and booleans as text, and ids as numbers',
    (operation) => {
      const body = answers.get(operation);
      for (const path of partsOf(body)) {
        const value = at(body, path);
        const schema = schemaAt(operation, path);
        if (schema === undefined) continue;
        const asText = typeof value === 'number' || typeof value === 'boolean';
        const isId = typeof value === 'string' && /(^|\.)(id|\w+Id)$/.test(starred(path));
        if (!asText && !isId) continue;
        const given = asText ? String(value) : 12_345;
        const { output, anomalies, error } = read(
          operation,
          edited(body, path, () => given),
        );
        expect([starred(path), error]).toEqual([starred(path), null]);
        expect(at(output, path)).toEqual(asText ? value : '12345');
        expect(anomalies).toEqual([
          { path: starred(path), what: expect.stringContaining('read as') as string },
        ]);
      }
    },
  );

  it.each(ids)(
    'the response of %s may have known values in another letter case, and keeps unknown values',
    (operation) => {
      const body = answers.get(operation);
      for (const path of partsOf(body)) {
        const value = at(body, path);
        const schema = schemaAt(operation, path);
        if (typeof value !== 'string' || schema === undefined || !knownValues(schema)) continue;
        const other = read(
          operation,
          edited(body, path, () => ` ${otherCase(value)} `),
        );
        expect(at(other.output, path)).toBe(value);
        const unknown = read(
          operation,
          edited(body, path, () => 'FROBNICATING'),
        );
        expect(at(unknown.output, path)).toBe('FROBNICATING');
      }
    },
  );

  it('an unknown status is reported once, with its value', () => {
    const body = answers.get('checkModelStatus');
    const odd = edited(body, ['models', 0, 'status'], () => 'FROBNICATING');
    expect(read('checkModelStatus', odd).anomalies).toEqual([
      { path: 'models.*.status', what: '"FROBNICATING" is not a known value' },
    ]);
  });

  it('all unreadable items are counted, and at most 200 anomalies are reported', () => {
    const models = Array.from({ length: 100_000 }, () => 7);
    const { output, anomalies } = read('listModels', { models });
    expect(unreadIn(output)).toBe(100_000);
    expect(anomalies).toHaveLength(200);
  });

  it('any JSON is either read or causes an error that contains the operation', () => {
    const operation = fc.constantFrom(...ids);
    const junk = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(operation, fc.nat(), junk, (id, at_, value) => {
        const body = answers.get(id);
        const paths = [[], ...partsOf(body)];
        const path = paths[at_ % paths.length] ?? [];
        const { error } = read(
          id,
          edited(body, path, () => value),
        );
        if (error) expect(error.operation).toBe(id);
      }),
      { numRuns: 2_000 },
    );
  });
});
