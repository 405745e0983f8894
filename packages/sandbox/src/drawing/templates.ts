// The built-in looks: camera, light and backdrop as plain data.

/** A camera, placed by angles around the model and moved back until the model fits. */
export type Bookmark = {
  readonly name: string;
  /** Degrees around the model. 0 shows its front (+z). Positive values move the camera to the picture's right (+x). */
  readonly yawDegrees: number;
  /** Degrees above the horizon. */
  readonly pitchDegrees: number;
  /** Field of view across the shorter side of the picture. */
  readonly fovDegrees: number;
  /** Free share of the picture on the tighter axis, 0 to 0.9. */
  readonly margin: number;
  /** Frames only the parts with this material (index). */
  readonly slot?: number;
  /** Free shares of width and height, instead of `margin`. */
  readonly padding?: { readonly x: number; readonly y: number };
  /** True to frame the cylinder that the model sweeps when it turns, so that its size stays constant in a video. */
  readonly turning?: boolean;
};

/** Start or end of a linear camera move. */
export type ShotPose = {
  /** Degrees around the model as in a bookmark. The camera turns by the difference, which may be 360 or more. */
  readonly yawDegrees: number;
  readonly pitchDegrees: number;
  /** Free share of the picture, 0 to 0.9. */
  readonly margin: number;
};

/** A camera move, drawn as a video. */
export type Shot = {
  readonly name: string;
  readonly seconds: number;
  readonly fovDegrees: number;
  readonly from: ShotPose;
  readonly to: ShotPose;
};

/** A distant light, placed relative to the camera, so that every bookmark has the same light. */
export type Light = {
  readonly yawDegrees: number;
  readonly pitchDegrees: number;
  /** Colour in sRGB hex. */
  readonly color: string;
  readonly intensity: number;
};

export type Backdrop = {
  /** Colours in sRGB hex at the top and bottom of the picture. */
  readonly top: string;
  readonly bottom: string;
  /** A floor colour around the model that fades into the backdrop. Null for a seamless backdrop. */
  readonly floor: string | null;
  /** Darkness of the shadows on the floor, 0 to 1. */
  readonly shadow: number;
  /** True if pictures have an alpha channel instead of this backdrop. JPEGs, which have no alpha, become white. */
  readonly isTransparent?: true;
};

export type TemplateLook = {
  readonly name: string;
  readonly description: string;
  /** At least one bookmark. The first one is the default. */
  readonly bookmarks: readonly Bookmark[];
  readonly shots: readonly Shot[];
  readonly key: Light;
  readonly fill: Light;
  readonly rim: Light;
  /** sRGB hex: light from above, from the sides and from below. */
  readonly sky: string;
  readonly horizon: string;
  readonly ground: string;
  readonly ambient: number;
  readonly exposure: number;
  readonly backdrop: Backdrop;
  /** True to draw every surface in its own colour, without light. */
  readonly flat?: true;
};

const studioWhite: TemplateLook = {
  name: 'Studio White',
  description: 'Soft light on a seamless white sweep, three-quarter view.',
  bookmarks: [{ name: 'Main', yawDegrees: 32, pitchDegrees: 18, fovDegrees: 26, margin: 0.2 }],
  shots: [],
  key: { yawDegrees: 38, pitchDegrees: 52, color: '#fff6ea', intensity: 1.9 },
  fill: { yawDegrees: -55, pitchDegrees: 22, color: '#e8f0ff', intensity: 0.5 },
  rim: { yawDegrees: 165, pitchDegrees: 35, color: '#ffffff', intensity: 0.7 },
  sky: '#ffffff',
  horizon: '#d9dde2',
  ground: '#a9a49c',
  ambient: 0.62,
  exposure: 1,
  backdrop: { top: '#eceef0', bottom: '#fbfbfa', floor: null, shadow: 0.55 },
};

const heroDark: TemplateLook = {
  name: 'Hero Dark',
  description: 'Dramatic side light and a bright rim on a dark backdrop, low camera.',
  bookmarks: [{ name: 'Main', yawDegrees: -38, pitchDegrees: 9, fovDegrees: 30, margin: 0.2 }],
  shots: [],
  key: { yawDegrees: -48, pitchDegrees: 42, color: '#ffe9cf', intensity: 2.6 },
  fill: { yawDegrees: 60, pitchDegrees: 10, color: '#6f8fd6', intensity: 0.55 },
  rim: { yawDegrees: 155, pitchDegrees: 30, color: '#bcd4ff', intensity: 2.4 },
  sky: '#aab6cc',
  horizon: '#5b6475',
  ground: '#23262d',
  ambient: 0.42,
  exposure: 1.05,
  backdrop: { top: '#14171d', bottom: '#1f242d', floor: '#3a4250', shadow: 0.8 },
};

const catalogFront: TemplateLook = {
  name: 'Catalog Front',
  description: 'Even light, straight from the front with a long lens, on light grey.',
  bookmarks: [{ name: 'Main', yawDegrees: 0, pitchDegrees: 6, fovDegrees: 18, margin: 0.24 }],
  shots: [],
  key: { yawDegrees: 26, pitchDegrees: 48, color: '#ffffff', intensity: 1.5 },
  fill: { yawDegrees: -38, pitchDegrees: 30, color: '#ffffff', intensity: 0.8 },
  rim: { yawDegrees: 180, pitchDegrees: 40, color: '#ffffff', intensity: 0.5 },
  sky: '#ffffff',
  horizon: '#d5d7da',
  ground: '#a6a6a6',
  ambient: 0.66,
  exposure: 1,
  backdrop: { top: '#d9dcdf', bottom: '#eff0f1', floor: null, shadow: 0.5 },
};

const warmFloor: TemplateLook = {
  name: 'Warm Floor',
  description: 'Late-afternoon light, a warm floor and a long soft shadow.',
  bookmarks: [{ name: 'Main', yawDegrees: 28, pitchDegrees: 24, fovDegrees: 30, margin: 0.22 }],
  shots: [],
  key: { yawDegrees: 62, pitchDegrees: 38, color: '#ffd9a8', intensity: 2.4 },
  fill: { yawDegrees: -40, pitchDegrees: 25, color: '#cfdcf2', intensity: 0.45 },
  rim: { yawDegrees: -150, pitchDegrees: 30, color: '#ffe6c8', intensity: 0.8 },
  sky: '#fff3e2',
  horizon: '#e6c9a8',
  ground: '#a87f5c',
  ambient: 0.5,
  exposure: 1,
  backdrop: { top: '#f3e2cc', bottom: '#ecd3b4', floor: '#dcb48a', shadow: 0.62 },
};

const turntable: TemplateLook = {
  ...studioWhite,
  name: 'Turntable',
  description:
    'Soft light on seamless white; stills and two short videos: a full turn and a rising shot.',
  shots: [
    {
      name: 'Turn',
      seconds: 2,
      fovDegrees: 26,
      from: { yawDegrees: 32, pitchDegrees: 16, margin: 0.16 },
      to: { yawDegrees: 392, pitchDegrees: 16, margin: 0.16 },
    },
    {
      name: 'Rise',
      seconds: 2,
      fovDegrees: 26,
      from: { yawDegrees: -30, pitchDegrees: 6, margin: 0.1 },
      to: { yawDegrees: 20, pitchDegrees: 38, margin: 0.2 },
    },
  ],
};

const cutOut: TemplateLook = {
  ...catalogFront,
  name: 'Cut Out',
  description: 'Even light on a transparent background, without shadows on a floor.',
  backdrop: { top: '#ffffff', bottom: '#ffffff', floor: null, shadow: 0, isTransparent: true },
};

/** The looks in the order of the sandbox's templates. */
export const templateLooks: readonly [TemplateLook, ...TemplateLook[]] = [
  studioWhite,
  heroDark,
  catalogFront,
  warmFloor,
  turntable,
  cutOut,
];

/** Returns the bookmark with this name, or the look's first bookmark if there is none. */
export function findBookmark(look: TemplateLook, name?: string): Bookmark {
  const bookmark = look.bookmarks.find((candidate) => candidate.name === name) ?? look.bookmarks[0];
  if (bookmark === undefined) throw new Error(`The look "${look.name}" has no bookmark.`);
  return bookmark;
}
