// Stored facts of the asset library: props, decals, materials, collections. Statuses follow from facts and time.
import type { DecalFileType } from 'renderline/api/operations/decals';
import type { TextureChannel, TextureFileType } from 'renderline/api/operations/materials';

/** Props, decals and materials share the workspace's collections. */
export interface CollectionRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

/** An uploaded file and the result of its inspection. Times are epoch milliseconds. */
export interface LibraryFile {
  readonly bytes: number;
  readonly sha256: string;
  readonly uploadedAt: number;
  /** True if the file exceeded the size limit, so that its bytes were counted and discarded. */
  readonly tooLarge?: boolean;
  /** Why the file cannot be used. */
  readonly problem?: string;
}

interface LibraryItem {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly collectionId?: string;
}

export interface PropRecord extends LibraryItem {
  readonly source: 'catalog' | 'uploaded';
  readonly fileType: string | null;
  readonly uploadKey: string;
  readonly declaredBytes?: number;
  readonly file?: LibraryFile;
  /** When the upload was confirmed. The time is cleared when another file is uploaded. */
  readonly confirmedAt?: number;
  /** Duration from confirmation to the end of processing. */
  readonly processMs: number;
}

/** An ink of a logo. */
export interface InkRecord {
  readonly name: string;
  readonly pantoneCode: string | null;
  readonly hex: string | null;
}

export interface DecalFile extends LibraryFile {
  /** Size in pixels. Zero if the file is too large or not an image. */
  readonly width: number;
  readonly height: number;
}

export interface DecalRecord extends LibraryItem {
  readonly fileType: DecalFileType;
  /** The Content-Type that the PUT request must have. */
  readonly contentType: string;
  readonly uploadKey: string;
  readonly declaredBytes?: number;
  readonly file?: DecalFile;
  readonly confirmedAt?: number;
  readonly inks: readonly InkRecord[];
}

export interface TextureRecord {
  readonly fileType: TextureFileType;
  readonly uploadKey: string;
  readonly file?: LibraryFile;
  /** True if the texture was generated because the channel had no image. */
  readonly generated?: true;
}

export interface MaterialRecord extends LibraryItem {
  /** `pbr` has textures, `flat` has one colour. */
  readonly type: 'pbr' | 'flat';
  readonly textures: Readonly<Partial<Record<TextureChannel, TextureRecord>>>;
  readonly confirmedAt?: number;
  /** Minimum duration from confirmation to the end of processing. */
  readonly processMs: number;
  /** Result of processing. */
  readonly outcome?: MaterialOutcome;
  /** `#RRGGBB` of a flat material. */
  readonly flatHex?: string;
  readonly pantone?: { readonly code: string; readonly hex: string };
}

export interface MaterialOutcome {
  /** Why processing failed. Absent if the material is ready. */
  readonly problem?: string;
  /** Dominant colour of the surface, `#RRGGBB`. */
  readonly colorHex?: string;
}
