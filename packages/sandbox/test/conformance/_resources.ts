// Resources that rows name in braces. Each is created once per platform, when it is first used.
import {
  createModel,
  createProject,
  finishedRender,
  first,
  readyModel,
  startRender,
} from './_core-resources.ts';
import {
  createDecal,
  createMaterial,
  createProp,
  readyDecal,
  readyMaterial,
  readyProp,
} from './_library-resources.ts';
import type { Platform } from './_platform.ts';
import { variantIds } from './_production-resources.ts';
import { createProperty, read } from './_property-resources.ts';
import { absent } from './_rows.ts';
import { ModelChecks, RenderJob, Templates } from './_shapes.ts';

export class Resources {
  readonly #platform: Platform;
  readonly #made = new Map<string, Promise<string>>();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** The id of a resource by its name in `makers`. */
  id(name: string): Promise<string> {
    const make = makers[name];
    if (!make) throw new Error(`No row says how to make {${name}}.`);
    const made = this.#made.get(name) ?? make(this.#platform);
    this.#made.set(name, made);
    return made;
  }

  /** Replaces every `{name}` in the strings of a value by an id. */
  async fill<T>(value: T): Promise<T> {
    // The result has the same structure as the input; only strings change.
    return (await this.#fill(value)) as T;
  }

  async #fill(value: unknown): Promise<unknown> {
    if (typeof value === 'string') {
      let filled = value;
      for (const [braced, name = ''] of value.matchAll(/\{([a-z][A-Za-z]*)\}/g)) {
        if (name in makers) filled = filled.replace(braced, await this.id(name));
      }
      return filled;
    }
    if (Array.isArray(value)) return Promise.all(value.map((item) => this.#fill(item)));
    if (typeof value !== 'object' || value === null) return value;
    // Matchers such as expect.any() are kept.
    if (Object.getPrototypeOf(value) !== Object.prototype) return value;
    const filled: Record<string, unknown> = {};
    for (const [field, inner] of Object.entries(value)) filled[field] = await this.#fill(inner);
    return filled;
  }
}

type Maker = (platform: Platform) => Promise<string>;

const makers: Readonly<Record<string, Maker>> = {
  absent: async () => absent,
  /** A READY model. */
  model: (platform) => readyModel(platform, 'conformance one.glb'),
  /** Another READY model. */
  otherModel: (platform) => readyModel(platform, 'conformance two.glb'),
  /** A model without an uploaded file. */
  emptyModel: async (platform) => (await createModel(platform, 'conformance empty.glb')).modelId,
  /** A FAILED model: its uploaded file is not a model. */
  failedModel: async (platform) => {
    const { modelId, uploadUrl } = await createModel(platform, 'conformance broken.glb');
    await platform.put(uploadUrl, Buffer.from('this is no GLB at all'));
    await platform.send(`POST /models/${modelId}/confirm`, { body: { fileType: 'glb' } });
    await platform.until(
      () => platform.ok('POST /models/status', ModelChecks, { modelIds: [modelId] }),
      ({ models }) => models[0]?.status === 'FAILED',
    );
    return modelId;
  },
  template: async (platform) => {
    const { templates } = await platform.ok('GET /templates', Templates);
    return first(templates).templateId;
  },
  project: async (platform) => createProject(platform, [await platform.resources.id('model')]),
  /** A COMPLETED render job. */
  renderJob: async (platform) => {
    const started = await startRender(platform, await platform.resources.id('project'));
    return (await finishedRender(platform, started.jobId)).jobId;
  },
  /** An output of `renderJob`. */
  render: async (platform) => {
    const jobId = await platform.resources.id('renderJob');
    const { renders = [] } = await platform.ok(`GET /renders/${jobId}`, RenderJob);
    return first(renders).id;
  },
  /** A READY prop. */
  prop: (platform) => readyProp(platform),
  /** A prop without an uploaded file. */
  emptyProp: async (platform) => (await createProp(platform)).propId,
  /** A READY decal. */
  decal: (platform) => readyDecal(platform),
  /** A decal without an uploaded file. */
  emptyDecal: async (platform) => (await createDecal(platform)).decalId,
  /** A ready material. */
  material: (platform) => readyMaterial(platform),
  /** A material without an uploaded texture. */
  emptyMaterial: async (platform) => (await createMaterial(platform)).materialId,
  /** A variant of `model`, which is then also in a project. */
  variant: async (platform) => {
    await platform.resources.id('project');
    return first(await variantIds(platform, await platform.resources.id('model')));
  },
  textProperty: async (platform) => (await createProperty(platform, 'TEXT')).id,
  numberProperty: async (platform) => (await createProperty(platform, 'NUMBER')).id,
  dateProperty: async (platform) => (await createProperty(platform, 'DATE')).id,
  selectProperty: async (platform) =>
    (await createProperty(platform, 'SELECT', { options: ['A', 'B'] })).id,
  /** An option of `selectProperty`. */
  option: async (platform) => {
    const { options = [] } = await read(platform, await platform.resources.id('selectProperty'));
    return first(options).id;
  },
};
