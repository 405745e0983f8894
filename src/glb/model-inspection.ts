// The result of inspecting a model file: verdict, refusal code, warnings and contents.
import type { fileWarnings, inspectionFailures } from '../failures/files.ts';

/** Why a file is refused before upload. The codes are stable, because they appear in reports and asset records. */
export type RejectCode = 'FILE_GONE' | 'UNREADABLE' | keyof typeof inspectionFailures;

/** A warning about a file that is accepted. */
export type WarningCode = keyof typeof fileWarnings;

export type InspectionWarning = { readonly code: WarningCode; readonly message: string };

/** Further warnings are dropped, because some files deviate everywhere. */
const maxWarnings = 8;
/** Longer messages are cut, because text quoted from the file may be megabytes long. */
export const maxMessageLength = 500;

/** Collects the warnings about a file while it is checked. */
export class Warnings {
  readonly list: InspectionWarning[] = [];

  add(code: WarningCode, message: string): void {
    if (this.list.length < maxWarnings) this.list.push({ code, message: cutMessage(message) });
  }
}

function cutMessage(message: string): string {
  return message.length <= maxMessageLength ? message : `${message.slice(0, maxMessageLength)}…`;
}

/** The part of the file that caused a refusal. */
export type InspectionLevel = 'container' | 'json' | 'schema';

/** The parts of a glTF that engine and sandbox use. */
export type ModelContents = {
  /** Names of the materials in file order. Null if unnamed. Names may repeat, so they do not identify materials. */
  readonly materials: readonly (string | null)[];
  /** KHR_materials_variants names in file order, with the author's case and spaces. */
  readonly variants: readonly string[];
  readonly meshes: number;
  readonly nodes: number;
  /** Triangles of list primitives. Each mesh is counted once. */
  readonly triangles: number;
  readonly images: number;
  readonly animations: number;
  readonly extensionsRequired: readonly string[];
  readonly generator: string | null;
};

export type SceneMeasures = {
  /** Triangles of the default scene. A mesh counts once for each node and each instance that draws it. */
  readonly triangles: number;
  /** Width (x), height (y) and depth (z) in metres. Null if the JSON does not contain it. */
  readonly size: { readonly width: number; readonly height: number; readonly depth: number } | null;
  /** Why `size` is null, as in "because …". */
  readonly sizeProblem: string | null;
};

export type TextureMeasure = {
  readonly name: string;
  /** Size in pixels. Null if no header in the file states it. */
  readonly size: { readonly width: number; readonly height: number } | null;
};

/** Measures that the rules for models in a `check` node are compared with. */
export type ModelMeasures = SceneMeasures & {
  /** The textures that were measured: the first `maxMeasuredTextures` images. */
  readonly textures: readonly TextureMeasure[];
};

export type ModelInspection = ModelContents & {
  readonly verdict: 'accept' | 'accept-with-warning' | 'reject';
  /** Why the file is refused. Null unless the verdict is `reject`. */
  readonly code: RejectCode | null;
  /** The problem and the fix. Empty if the file is accepted without warnings. */
  readonly message: string;
  readonly level: InspectionLevel | null;
  readonly warnings: readonly InspectionWarning[];
  readonly container: 'glb' | 'gltf' | 'other';
  readonly bytes: number;
  /** Measures of an accepted glTF, if they were requested. */
  readonly measures?: ModelMeasures;
};

/** Thrown inside the inspection when a file is bad. `inspectSource` turns it into a result. */
export class RejectedModelError extends Error {
  override name = 'RejectedModelError';
  readonly code: RejectCode;
  readonly level: InspectionLevel;

  constructor(level: InspectionLevel, code: RejectCode, message: string) {
    super(cutMessage(message));
    this.code = code;
    this.level = level;
  }
}

/** @param reason completes the sentence "nothing to draw: …" */
export function refuseEmpty(reason: string): never {
  const message = `The file contains nothing to draw: ${reason}.`;
  throw new RejectedModelError('schema', 'NO_GEOMETRY', message);
}

export const emptyContents: ModelContents = {
  materials: [],
  variants: [],
  meshes: 0,
  nodes: 0,
  triangles: 0,
  images: 0,
  animations: 0,
  extensionsRequired: [],
  generator: null,
};
