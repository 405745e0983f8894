// The facts behind production files: captures, exports, document numbers and the data each file was built from.
import type { CaptureMode, ProductionOptions } from 'renderline/api/operations/production';

export const viewNames = ['front', 'back', 'left', 'right'] as const;
export type ViewName = (typeof viewNames)[number];

/** Camera side of a close-up: a view, or a side that no view shows. */
export type CloseUpSide = ViewName | 'above' | 'below';

/** Placement of a logo, measured on the captured model. */
export interface Placement {
  readonly slotId: string;
  /** Its centre in the views that show it, as shares of the picture from the left and from the top. */
  readonly marks: readonly { readonly view: ViewName; readonly x: number; readonly y: number }[];
  /** Set when no view shows it: the side that its surface faces. */
  readonly hiddenSide?: 'above' | 'below';
  /** Width and height of its zone in millimetres as seen in the first of these views, or from that side. */
  readonly zoneMm?: { readonly width: number; readonly height: number };
  /** From the product's left and top edge to the zone's centre in that view, in millimetres. */
  readonly fromMm?: { readonly left: number; readonly top: number };
}

/** Results of a capture: names of pictures, and measures. */
export interface CapturedViews {
  readonly views: Readonly<Record<ViewName, string>>;
  /** Slot id to its close-up. */
  readonly closeUps: Readonly<Record<string, string>>;
  readonly placements: readonly Placement[];
  /** Ids of the slots that the variant shows; absent for a model that cannot be read. */
  readonly wornSlotIds?: readonly string[];
}

/** The capture of one variant. Times are epoch milliseconds. */
export interface CaptureRecord {
  readonly id: string;
  /** Captures that were asked for together share it. */
  readonly jobId: string;
  readonly modelId: string;
  readonly variantId: string;
  readonly mode: CaptureMode;
  /** The variant's `wearOf` text when the capture began. */
  readonly wear: string;
  readonly startedAt: number;
  readonly endAt: number;
  /** It ends without views, for this reason. */
  readonly failure?: string;
  /** Set once its pictures are drawn, or given up. */
  readonly drawnAt?: number;
  readonly captured?: CapturedViews;
  /** Drawn instead when the capture fails. */
  readonly preview?: string;
}

export interface ExportRecord {
  readonly id: string;
  readonly modelId: string;
  readonly variantIds: readonly string[];
  readonly options: ProductionOptions;
  readonly createdAt: number;
  readonly captureIds: readonly string[];
  /** Set when it ended: with a file, or with a reason. */
  readonly endedAt?: number;
  readonly fileId?: string;
  readonly failure?: string;
}

/** A document number and the versions given to it. Outlives its model, so that no number is used twice. */
export interface DocumentRecord {
  readonly id: string;
  readonly number: string;
  readonly modelId: string;
  /** The set of variants, whatever their order. */
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

/** All that a file prints. Later changes to the workspace do not reach it. */
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
  readonly capturedAt?: number;
  readonly captureMode?: CaptureMode;
  readonly views?: Readonly<Record<ViewName, string>>;
  /** Printed where there are no views. */
  readonly preview?: string;
  readonly zones: readonly SheetZone[];
  readonly logos: readonly SheetLogo[];
}

/** A fabric zone: a slot and the material that it wears. */
export interface SheetZone {
  readonly name: string;
  readonly material: string;
  readonly pantone?: { readonly code: string; readonly hex: string };
}

export interface SheetLogo {
  /** From 1, as in the markers. */
  readonly number: number;
  readonly slotName: string;
  readonly name: string;
  /** Name of its picture; absent when the image is gone or does not decode. */
  readonly picture?: string;
  readonly width: number;
  readonly height: number;
  readonly method?: string;
  readonly inks: readonly {
    readonly name: string;
    readonly pantoneCode: string | null;
    readonly hex: string | null;
  }[];
  readonly closeUp?: string;
  readonly placement?: Placement;
}
