// All state of one sandbox: tables in memory, facts in the journal.
import { randomBytes, randomInt } from 'node:crypto';
import { type Change, Journal } from './journal.ts';
import type {
  JobRecord,
  KeyRecord,
  ModelRecord,
  OutputRecord,
  ProjectRecord,
  RenderJobRecord,
  TemplateRecord,
  WorkspaceRecord,
} from './records.ts';
import { fraction, guid } from './seeded.ts';
import { Table } from './table.ts';

const workspaceId = 'workspace';

export interface StoreOptions {
  /** Folder of the state; undefined keeps everything in memory. */
  readonly dir?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly seed?: number | undefined;
}

export class Store {
  readonly #journal: Journal;
  readonly #workspace: Table<WorkspaceRecord>;
  readonly models: Table<ModelRecord>;
  readonly projects: Table<ProjectRecord>;
  readonly renderJobs: Table<RenderJobRecord>;
  readonly outputs: Table<OutputRecord>;
  readonly jobs: Table<JobRecord>;
  readonly templates: Table<TemplateRecord>;
  readonly keys: Table<KeyRecord>;

  constructor(options: StoreOptions) {
    this.#journal = new Journal(options.dir);
    this.#workspace = new Table('workspace', this.#journal);
    this.models = new Table('models', this.#journal);
    this.projects = new Table('projects', this.#journal);
    this.renderJobs = new Table('renderJobs', this.#journal);
    this.outputs = new Table('outputs', this.#journal);
    this.jobs = new Table('jobs', this.#journal);
    this.templates = new Table('templates', this.#journal);
    this.keys = new Table('keys', this.#journal);
    this.#load();
    const kept = this.#workspace.get(workspaceId);
    const workspace = {
      id: workspaceId,
      apiKey: options.apiKey ?? kept?.apiKey ?? newApiKey(),
      seed: options.seed ?? kept?.seed ?? randomInt(2 ** 31),
      linkSecret: kept?.linkSecret ?? randomBytes(24).toString('base64url'),
      sequence: kept?.sequence ?? 0,
    };
    if (kept) this.#workspace.update(kept, workspace);
    else this.#workspace.insert(workspace);
    this.#journal.compact(this.#everything());
  }

  get workspace(): WorkspaceRecord {
    const workspace = this.#workspace.get(workspaceId);
    if (!workspace) throw new Error('The workspace record is made by the constructor.');
    return workspace;
  }

  /** A new id of this kind, never given before, with its place in the order of creation. */
  newId(kind: string): string {
    const { workspace } = this;
    this.#workspace.update(workspace, { sequence: workspace.sequence + 1 });
    return guid(workspace.seed, kind, workspace.sequence);
  }

  /** The next number in [0, 1) of this seed. */
  nextFraction(kind: string): number {
    return fraction(this.workspace.seed, kind, this.workspace.sequence);
  }

  /** Makes all changes so far survive the death of this process. */
  flush(): void {
    this.#journal.flush();
    if (this.#journal.isLong) this.#journal.compact(this.#everything());
  }

  /** Forgets everything but the key, the seed and the count of ids. */
  reset(): void {
    for (const table of this.#contents()) table.clear();
    this.flush();
  }

  close(): void {
    this.#journal.close();
  }

  #contents() {
    return [
      this.models,
      this.projects,
      this.renderJobs,
      this.outputs,
      this.jobs,
      this.templates,
      this.keys,
    ];
  }

  #tables(): Table<{ readonly id: string }>[] {
    // The journal holds plain JSON of these very records, so a table may take them back unseen.
    return [this.#workspace, ...this.#contents()] as unknown as Table<{ readonly id: string }>[];
  }

  #load(): void {
    const latest = new Map<string, Change>();
    for (const change of this.#journal.load()) {
      const [table, id, record] = change;
      if (record === null) latest.delete(`${table}/${id}`);
      else latest.set(`${table}/${id}`, change);
    }
    const tables = new Map(this.#tables().map((table) => [table.name, table]));
    for (const [name, , record] of latest.values()) {
      tables.get(name)?.restore(record as { readonly id: string });
    }
  }

  *#everything(): Iterable<Change> {
    for (const table of this.#tables()) {
      for (const record of table.all) yield [table.name, record.id, record];
    }
  }
}

/** A key in the documented form `svc_{prefix}_{secret}` (section 5). */
function newApiKey(): string {
  return `svc_${randomBytes(4).toString('hex')}_${randomBytes(24).toString('hex')}`;
}
