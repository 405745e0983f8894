// Records of production files: captures, exports, document numbers, and the data of each built file.
import type { CaptureMode, ProductionOptions } from 'renderline/api/operations/production';
import type { InkRecord, MaterialRecord } from './library-records.ts';

export const viewNames = ['front', 'back', 'left', 'right'] as const;
export type ViewName = (typeof viewNames)[number];

/** Camera side of a close-up: a view, or a side that no view shows. */
export type CloseUpSide = ViewName | 'above' | 'below';

/** Placement of a logo, measured on the captured model. */
export interface Placement {
  readonly slotId: string;
  /** Centre of the zone in each view that shows the zone, as shares of the picture from the left and from the top. */
  readonly marks: readonly { readonly view: ViewName; readonly x: number; readonly y: number }[];
  /** The side that the surface faces if no view shows it. */
  readonly hiddenSide?: 'above' | 'below';
  /** Width and height of the zone in millimetres, in the first of these views or from the hidden side. */
  readonly zoneMm?: { readonly width: number; readonly height: number };
  /** Distance of the zone's centre from the product's left and top edge in that view, in millimetres. */
  readonly fromMm?: { readonly left: number; readonly top: number };
}

/** Results of a capture: picture names and measurements. */
export interface CapturedViews {
  readonly views: Readonly<Record<ViewName, string>>;
  /** Close-ups by slot id. */
  readonly closeUps: Readonly<Record<string, string>>;
  readonly placements: readonly Placement[];
  /** Ids of the slots that the variant shows. Absent if they were not measured. */
  readonly wornSlotIds?: readonly string[];
}

/** The capture of one variant. Times are epoch milliseconds. */
export interface CaptureRecord {
  readonly id: string;
  /** Id that the captures of one request share. */
  readonly jobId: string;
  readonly modelId: string;
  readonly variantId: string;
  readonly mode: CaptureMode;
  /** The variant's appearance key (`hashAppearance`) when views were drawn or, until then, at the start. */
  readonly appearanceKey: string;
  readonly startedAt: number;
  readonly endAt: number;
  /** If set, the capture ends without views, for this reason. */
  readonly failure?: string;
  /** When the pictures were drawn or drawing failed. Absent until then. */
  readonly drawnAt?: number;
  readonly captured?: CapturedViews;
  /** Picture to print if the capture fails. */
  readonly preview?: string;
}

export interface ExportRecord {
  readonly id: string;
  readonly modelId: string;
  readonly variantIds: readonly string[];
  readonly options: ProductionOptions;
  readonly createdAt: number;
  readonly captureIds: readonly string[];
  /** Set at the end, together with `fileId` or `failure`. */
  readonly endedAt?: number;
  readonly fileId?: string;
  readonly failure?: string;
}

/** A document number and its versions. It outlives its model, so that its number is never reused. */
export interface DocumentRecord {
  readonly id: string;
  readonly number: string;
  readonly modelId: string;
  /** Ids of the variants, sorted and joined by spaces. */
  readonly variantSet: string;
  readonly versions: number;
}

export interface ProductionFileRecord {
  readonly id: string;
  readonly modelId: string;
  readonly documentNumber: string;
  readonly version: number;
  readonly createdAt: number;
  readonly sheet: Sheet;
}

/** The complete content of a file. Later changes to the workspace do not change it. */
export interface Sheet {
  readonly modelName: string;
  readonly options: ProductionOptions;
  readonly variants: readonly SheetVariant[];
}

export type Notice = 'stale' | 'not-captured' | 'never-captured';

export interface SheetVariant {
  readonly id: string;
  readonly name: string;
  readonly notices: readonly Notice[];
  readonly capturedAt?: number | undefined;
  readonly captureMode?: CaptureMode | undefined;
  readonly views?: CapturedViews['views'] | undefined;
  /** Picture that is printed if there are no views. */
  readonly preview?: string | undefined;
  readonly zones: readonly SheetZone[];
  readonly logos: readonly SheetLogo[];
}

/** A fabric zone: a slot with its material. */
export interface SheetZone {
  readonly name: string;
  readonly material: string;
  readonly pantone?: MaterialRecord['pantone'] | undefined;
}

export interface SheetLogo {
  /** Number in the markers, starting at 1. */
  readonly number: number;
  readonly slotName: string;
  readonly name: string;
  /** Name of its picture. Absent if the image is missing or does not decode. */
  readonly picture?: string | undefined;
  readonly width: number;
  readonly height: number;
  readonly method?: string | undefined;
  readonly inks: readonly InkRecord[];
  readonly closeUp?: string | undefined;
  readonly placement?: Placement | undefined;
}
