// Checks that an image must pass, and the measurements that they need.

export interface ImageChecks {
  /** `#rrggbb` of everything around the object. */
  background?: string | undefined;
  /** Minimum share of the frame that the object fills in its longer direction, 0 to 1. */
  fill?: number | undefined;
  /** Minimum and maximum of the longer side, in pixels. */
  longestSide?: { min?: number | undefined; max?: number | undefined } | undefined;
  /** Minimum of the shorter side, in pixels. */
  shortestSide?: { min?: number | undefined } | undefined;
  maxPixels?: number | undefined;
  maxBytes?: number | undefined;
  square?: boolean | undefined;
  /** If false, an image with an alpha channel fails. */
  alpha?: boolean | undefined;
  profile?: 'sRGB' | undefined;
}

export type CheckName = keyof ImageChecks;

export interface ImageMeasures {
  width: number;
  height: number;
  bytes: number;
  hasAlpha: boolean;
  /** True if the file has a profile, and the profile is sRGB. */
  isSrgb: boolean;
  /** The most frequent colour along the edges, `#rrggbb`. */
  edge: string;
  /** Share of the pixels along the edges that differ from the background. */
  edgeMismatchShare: number;
  /** Share of the pixels around the object that differ from the background. */
  surroundMismatchShare: number;
  /** Share of the frame that the object fills in its longer direction. Zero if nothing differs from the background. */
  fill: number;
}

export interface FailedCheck {
  check: CheckName;
  /** What was measured and what is required, as the continuation of "it ". */
  problem: string;
}
