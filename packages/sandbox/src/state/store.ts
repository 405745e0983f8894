// The state of a sandbox: tables in memory, backed by the journal.
import { randomBytes, randomInt } from 'node:crypto';
import type { SandboxOptions } from 'renderline/sandbox/interface';
import type { ColorwayBatchRecord, ColorwayJobRecord } from './colorway-records.ts';
import { type Change, Journal } from './journal.ts';
import type {
  CollectionRecord,
  DecalRecord,
  MaterialRecord,
  PropRecord,
} from './library-records.ts';
import type { PipelineJobRecord, PipelineRecord } from './pipeline-records.ts';
import type {
  CaptureRecord,
  DocumentRecord,
  ExportRecord,
  ProductionFileRecord,
} from './production-records.ts';
import type { AssetValuesRecord, PropertyRecord, StockAssetRecord } from './property-records.ts';
import type {
  JobRecord,
  KeyRecord,
  ModelRecord,
  OutputRecord,
  ProjectRecord,
  RenderJobRecord,
  SlotLogoRecord,
  TagRecord,
  TemplateRecord,
  WorkspaceRecord,
} from './records.ts';
import { createGuid, randomFraction } from './seeded-random.ts';
import { Table } from './table.ts';
import type { WebhookRecord } from './webhook-records.ts';

const workspaceId = 'workspace';

/** A base class, since the field initialisers of tables need the journal before the constructor of `Store` runs. */
class TableSet {
  protected readonly journal: Journal;
  /** Tables in order of declaration. */
  protected readonly tables: Table<{ readonly id: string }>[] = [];

  constructor(dir: string | undefined) {
    this.journal = new Journal(dir);
  }

  protected table<R extends { readonly id: string }>(name: string): Table<R> {
    const table = new Table<R>(name, this.journal);
    // The journal contains these records as plain JSON, so the cast is safe.
    this.tables.push(table as unknown as Table<{ readonly id: string }>);
    return table;
  }
}

export class Store extends TableSet {
  readonly #workspace = this.table<WorkspaceRecord>('workspace');
  readonly models = this.table<ModelRecord>('models');
  readonly tags = this.table<TagRecord>('tags');
  readonly slotLogos = this.table<SlotLogoRecord>('slotLogos');
  readonly colorwayBatches = this.table<ColorwayBatchRecord>('colorwayBatches');
  readonly colorwayJobs = this.table<ColorwayJobRecord>('colorwayJobs');
  readonly projects = this.table<ProjectRecord>('projects');
  readonly renderJobs = this.table<RenderJobRecord>('renderJobs');
  readonly outputs = this.table<OutputRecord>('outputs');
  readonly jobs = this.table<JobRecord>('jobs');
  readonly templates = this.table<TemplateRecord>('templates');
  readonly properties = this.table<PropertyRecord>('properties');
  readonly assetValues = this.table<AssetValuesRecord>('assetValues');
  readonly stockAssets = this.table<StockAssetRecord>('stockAssets');
  readonly props = this.table<PropRecord>('props');
  readonly decals = this.table<DecalRecord>('decals');
  readonly materials = this.table<MaterialRecord>('materials');
  readonly collections = this.table<CollectionRecord>('collections');
  readonly webhooks = this.table<WebhookRecord>('webhooks');
  readonly pipelines = this.table<PipelineRecord>('pipelines');
  readonly pipelineJobs = this.table<PipelineJobRecord>('pipelineJobs');
  readonly captures = this.table<CaptureRecord>('captures');
  readonly exports = this.table<ExportRecord>('exports');
  readonly documents = this.table<DocumentRecord>('documents');
  readonly productionFiles = this.table<ProductionFileRecord>('productionFiles');
  readonly keys = this.table<KeyRecord>('keys');

  /** @param options `data` is the folder of the state. Without it, everything is kept in memory */
  constructor(options: Pick<SandboxOptions, 'data' | 'apiKey' | 'seed'>) {
    super(options.data);
    this.#load();
    const storedWorkspace = this.#workspace.get(workspaceId);
    const workspace = {
      id: workspaceId,
      apiKey: options.apiKey ?? storedWorkspace?.apiKey ?? createApiKey(),
      seed: options.seed ?? storedWorkspace?.seed ?? randomInt(2 ** 31),
      linkSecret: storedWorkspace?.linkSecret ?? randomBytes(24).toString('base64url'),
      sequence: storedWorkspace?.sequence ?? 0,
    };
    if (storedWorkspace) this.#workspace.update(storedWorkspace, workspace);
    else this.#workspace.insert(workspace);
    this.journal.compact(this.#everything());
  }

  get workspace(): WorkspaceRecord {
    const workspace = this.#workspace.get(workspaceId);
    if (!workspace) throw new Error('The workspace record is made by the constructor.');
    return workspace;
  }

  /** The workspace has one webhook or none. */
  get webhook(): WebhookRecord | undefined {
    return this.webhooks.all[0];
  }

  /** Creates a new unique id: a GUID that depends on the seed, the kind and the number of earlier ids. */
  newId(kind: string): string {
    const { workspace } = this;
    this.#workspace.update(workspace, { sequence: workspace.sequence + 1 });
    return createGuid(workspace.seed, kind, workspace.sequence);
  }

  /** Returns a number in [0, 1) from the seed, the kind and the number of ids. It changes with the next id. */
  nextFraction(kind: string): number {
    return randomFraction(this.workspace.seed, kind, this.workspace.sequence);
  }

  /** Makes all changes survive a kill of this process. */
  flush(): void {
    this.journal.flush();
    if (this.journal.isLong) this.journal.compact(this.#everything());
  }

  /** Deletes everything except the workspace: API key, link secret, seed and id counter. */
  reset(): void {
    for (const table of this.tables) if (table.name !== this.#workspace.name) table.clear();
    this.flush();
  }

  close(): void {
    this.journal.close();
  }

  #load(): void {
    const latestChanges = new Map<string, Change>();
    for (const change of this.journal.load()) {
      const [table, id, record] = change;
      if (record === null) latestChanges.delete(`${table}/${id}`);
      else latestChanges.set(`${table}/${id}`, change);
    }
    const tables = new Map(this.tables.map((table) => [table.name, table]));
    for (const [name, , record] of latestChanges.values()) {
      tables.get(name)?.restore(record as { readonly id: string });
    }
  }

  *#everything(): Iterable<Change> {
    for (const table of this.tables) {
      for (const record of table.all) yield [table.name, record.id, record];
    }
  }
}

/** Creates an API key in the documented form `svc_{prefix}_{secret}`. */
function createApiKey(): string {
  return `svc_${randomBytes(4).toString('hex')}_${randomBytes(24).toString('hex')}`;
}
