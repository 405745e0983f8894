// The facts of the asset library: props, decals, materials, collections. Statuses follow from them and the time.
import type { DecalFileType } from 'renderline/api/operations/decals';
import type { TextureChannel, TextureFileType } from 'renderline/api/operations/materials';

/** Props, decals and materials share the workspace's collections. */
export interface CollectionRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

/** A file that landed in storage, and what a look at it found. Times are epoch milliseconds. */
export interface LibraryFile {
  readonly bytes: number;
  readonly sha256: string;
  readonly landedAt: number;
  /** Over the size limit: counted, not kept. */
  readonly tooLarge?: boolean;
  /** Why it cannot be used. */
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
  /** Another file clears it. */
  readonly confirmedAt?: number;
  /** From confirm to the end of processing. */
  readonly processMs: number;
  /** Name of the drawn thumbnail among the pictures. */
  readonly thumbnail?: string;
}

/** An ink of a logo (2.15). */
export interface InkRecord {
  readonly name: string;
  readonly pantoneCode: string | null;
  readonly hex: string | null;
}

export interface DecalFile extends LibraryFile {
  /** Pixels; 0 when the file is no image. */
  readonly width: number;
  readonly height: number;
}

export interface DecalRecord extends LibraryItem {
  readonly fileType: DecalFileType;
  /** The Content-Type that the PUT must send. */
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
  /** Made by processing, since no image was given for the channel. */
  readonly generated?: true;
}

export interface MaterialRecord extends LibraryItem {
  /** `pbr` has textures, `flat` one colour. */
  readonly type: 'pbr' | 'flat';
  readonly textures: Readonly<Partial<Record<TextureChannel, TextureRecord>>>;
  readonly confirmedAt?: number;
  /** Least time from confirm to the end of processing. */
  readonly processMs: number;
  /** Result of processing. */
  readonly outcome?: MaterialOutcome;
  /** `#RRGGBB` of a flat material. */
  readonly flatHex?: string;
  readonly pantone?: { readonly code: string; readonly hex: string };
}

export interface MaterialOutcome {
  /** Why it failed; absent when it is ready. */
  readonly problem?: string;
  /** `#RRGGBB` that most of the surface has. */
  readonly colorHex?: string;
}
