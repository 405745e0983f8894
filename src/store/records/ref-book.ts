// Rules about an asset's platform ids. The store knows no single id: each feature declares the rules for its own ids. Pure.
import type { Refs } from '../../plan/refs.ts';
import type { Standing } from '../../plan/stages.ts';
import type { DeliveredFile, MakingStage } from '../../plan/types.ts';

declare module '../../plan/refs.ts' {
  interface Refs {
    /** Stages that are reused though the pipeline has changed: their steps have nothing to do. */
    stands?: readonly MakingStage[];
    /** Files that exports delivered in an attempt that did not finish. */
    delivered?: readonly DeliveredFile[];
  }
}

/** The rules of one feature about the platform ids that it gives to assets. */
export interface RefSlice {
  /** Ids that only count while a run works on the asset. */
  readonly passing?: readonly (keyof Refs)[];
  /** Ids of resources that were created for one asset alone; a call that returned one is never forgotten. */
  readonly made?: readonly (keyof Refs)[];
  /** Ids that all colorways of a model share. */
  readonly ofModel?: readonly (keyof Refs)[];
  /** Ids that all views of a model in one colorway share. */
  readonly ofColorway?: readonly (keyof Refs)[];
  /**
   * Ids that become invalid when the render (or the production file) is made again. All other ids belong to earlier stages.
   */
  readonly ofRender?: readonly (keyof Refs)[];
  readonly ofSheet?: readonly (keyof Refs)[];
  /** The stage that these ids show to be complete. */
  readonly ends?: { readonly stage: MakingStage; isDone(refs: Refs): boolean };
  /**
   * Ids that depend only on the bytes of the file, whatever a pipeline makes of it; empty if the file was not uploaded.
   * @param category that the pipeline gives its models, null for none; absent: any category
   */
  ofFile?(refs: Refs, category?: string | null): Refs;
  /** The ids that a later run may build on once all their work has ended. */
  ended?(refs: Refs): Refs;
  /** The ids that stay valid after a run and its platform work were cancelled. */
  afterCancel?(refs: Refs): Refs;
  /** Merges ids that two parallel nodes each know a part of. */
  joined?(before: Refs, more: Refs): Refs;
  /** Names the platform work that a cancellation ends; null if there is none. */
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

/** The rules of all features together. */
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

  /** Removes ids that only count while a run works on the asset. */
  lasting(refs: Refs): Refs {
    return pick(refs, (name) => !this.#passing.has(name));
  }

  isMade(refs: Refs): boolean {
    return this.#made.some((name) => refs[name] !== undefined);
  }

  /** True if another run need not upload the file again. */
  isUploaded(refs: Refs): boolean {
    return Object.keys(this.#ofFile(refs)).length > 0;
  }

  /** The ids of the upload. A model counts only if it has the pipeline's category; null: none. */
  uploadedAs(refs: Refs, category: string | null): Refs {
    return this.#ofFile(refs, category);
  }

  ofModel(refs: Refs): Refs {
    return pick(refs, (name) => this.#ofModel.has(name));
  }

  ofColorway(refs: Refs): Refs {
    return pick(refs, (name) => this.#ofColorway.has(name));
  }

  /** The ids that another recipe may build on if these stages are reusable; empty if the composition is not. */
  standing(refs: Refs, stages: Standing): Refs {
    if (!stages.includes('composition')) return {};
    const goes = (stage: MakingStage, names: ReadonlySet<string>, name: string) =>
      !stages.includes(stage) && names.has(name);
    return pick(
      refs,
      (name) => !goes('render', this.#ofRender, name) && !goes('sheet', this.#ofSheet, name),
    );
  }

  /** The given stages that the ids show to be complete. A project implies that the file is uploaded. */
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

  /** Later ids replace earlier ones. */
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
