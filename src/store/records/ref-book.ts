// Answers questions of the store about an asset's refs. It knows none of them itself: each capability answers for its own. Pure.
import type { Refs } from '../../plan/refs.ts';
import type { Standing } from '../../plan/stages.ts';
import type { DeliveredFile, MakingStage } from '../../plan/types.ts';

declare module '../../plan/refs.ts' {
  interface Refs {
    /** Work that stands though the pipeline has changed: its steps have nothing to do. */
    stands?: readonly MakingStage[];
    /** Files that its exports delivered in an attempt that came to no end. */
    delivered?: readonly DeliveredFile[];
  }
}

/** A capability's answers about the refs that it gives to assets. */
export interface RefSlice {
  /** Refs that only count while a run works on the asset. */
  readonly passing?: readonly (keyof Refs)[];
  /** Refs of things made for one asset alone; a call that has yielded one is never forgotten. */
  readonly made?: readonly (keyof Refs)[];
  /** Refs that all colorways of a model share. */
  readonly ofModel?: readonly (keyof Refs)[];
  /** Refs that all views of a model in one colorway share. */
  readonly ofColorway?: readonly (keyof Refs)[];
  /** Refs that go where the render, or the production file, is made anew; all others belong to what is before them. */
  readonly ofRender?: readonly (keyof Refs)[];
  readonly ofSheet?: readonly (keyof Refs)[];
  /** The stage that has come to its end where the refs say so. */
  readonly ends?: { readonly stage: MakingStage; isDone(refs: Refs): boolean };
  /**
   * Refs that depend on the bytes of the file alone, whatever a pipeline makes of it; empty where they have not been uploaded.
   * @param category that the pipeline gives its models, null for none; absent: any will do
   */
  ofFile?(refs: Refs, category?: string | null): Refs;
  /** The refs as a later run may build on them once all their work has ended. */
  ended?(refs: Refs): Refs;
  /** Refs that remain once a run was cancelled with its work on the platform. */
  afterCancel?(refs: Refs): Refs;
  /** Refs that two nodes side by side both tell a part of. */
  joined?(before: Refs, more: Refs): Refs;
  /** Words for the work on the platform that a cancel ends; null where there is none. */
  underWay?(refs: Refs): string | null;
}

const common: RefSlice = {
  passing: [
    'retries',
    'perhapsTwice',
    'idOfAnother',
    'begun',
    'missing',
    'madeAtMs',
    'stands',
    'delivered',
  ],
};

/** The slices of all capabilities together. */
export class RefBook {
  readonly #slices: readonly RefSlice[];
  readonly #passing: ReadonlySet<string>;
  readonly #made: readonly (keyof Refs)[];
  readonly #ofModel: ReadonlySet<string>;
  readonly #ofColorway: ReadonlySet<string>;
  readonly #ofRender: ReadonlySet<string>;
  readonly #ofSheet: ReadonlySet<string>;

  constructor(slices: readonly RefSlice[]) {
    this.#slices = [common, ...slices];
    this.#passing = new Set(this.#slices.flatMap(({ passing = [] }) => passing));
    this.#made = slices.flatMap(({ made = [] }) => made);
    this.#ofModel = new Set(slices.flatMap(({ ofModel = [] }) => ofModel));
    this.#ofColorway = new Set(slices.flatMap(({ ofColorway = [] }) => ofColorway));
    this.#ofRender = new Set(slices.flatMap(({ ofRender = [] }) => ofRender));
    this.#ofSheet = new Set(slices.flatMap(({ ofSheet = [] }) => ofSheet));
  }

  /** Without refs that only count while a run works on the asset. */
  lasting(refs: Refs): Refs {
    return pick(refs, (name) => !this.#passing.has(name));
  }

  isMade(refs: Refs): boolean {
    return this.#made.some((name) => refs[name] !== undefined);
  }

  /** True where another run need not upload something again. */
  isUploaded(refs: Refs): boolean {
    return Object.keys(this.#ofFile(refs)).length > 0;
  }

  /** A model counts only for pipelines that give models its category; null: they give none. */
  uploadedAs(refs: Refs, category: string | null): Refs {
    return this.#ofFile(refs, category);
  }

  ofModel(refs: Refs): Refs {
    return pick(refs, (name) => this.#ofModel.has(name));
  }

  ofColorway(refs: Refs): Refs {
    return pick(refs, (name) => this.#ofColorway.has(name));
  }

  /** Refs that another recipe may build on, of which so much stands; none where not even the composition does. */
  standing(refs: Refs, stages: Standing): Refs {
    if (!stages.includes('composition')) return {};
    const goes = (stage: MakingStage, names: ReadonlySet<string>, name: string) =>
      !stages.includes(stage) && names.has(name);
    return pick(
      refs,
      (name) => !goes('render', this.#ofRender, name) && !goes('sheet', this.#ofSheet, name),
    );
  }

  /** Those of the stages that the refs show to be done. A file is up where its project is made. */
  done(refs: Refs, stages: Standing): MakingStage[] {
    const isDone = (stage: MakingStage) =>
      this.#slices.some(({ ends }) => ends?.stage === stage && ends.isDone(refs));
    const isComposed = stages.includes('composition') && isDone('composition');
    if (!isComposed) return stages.filter((stage) => stage === 'source' && isDone(stage));
    return stages.filter((stage) => stage === 'source' || isDone(stage));
  }

  ended(refs: Refs): Refs {
    return this.#slices.reduce((known, slice) => slice.ended?.(known) ?? known, refs);
  }

  afterCancel(refs: Refs): Refs {
    return this.#slices.reduce((known, slice) => slice.afterCancel?.(known) ?? known, refs);
  }

  /** Later refs stand over earlier ones. */
  join(before: Refs, more: Refs): Refs {
    const joined = this.#slices.map((slice) => slice.joined?.(before, more));
    return Object.assign({}, before, more, ...joined);
  }

  underWay(refs: Refs): string | null {
    return this.#slices.flatMap((slice) => slice.underWay?.(refs) ?? []).at(0) ?? null;
  }

  #ofFile(refs: Refs, category?: string | null): Refs {
    return Object.assign({}, ...this.#slices.map((slice) => slice.ofFile?.(refs, category)));
  }
}

function pick(refs: Refs, takes: (name: string) => boolean): Refs {
  return Object.fromEntries(Object.entries(refs).filter(([name]) => takes(name)));
}
