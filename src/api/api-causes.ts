// Errors that every request of a run would meet, with titles and fixes for people.

export const apiCauses = {
  MISSING_API_KEY: {
    title: 'No API key is set.',
    fix: 'Set RENDERLINE_API_KEY to a valid key of the workspace; for a run on its workers, then resume it.',
    stops: 'auth',
  },
  INVALID_API_KEY: {
    title: 'The key is wrong, revoked or expired.',
    fix: 'Set RENDERLINE_API_KEY to a valid key of the workspace; for a run on its workers, restart them, then resume it.',
    stops: 'auth',
  },
  WORKSPACE_NOT_FOUND: {
    title: 'The workspace of the key is gone.',
    fix: 'Set RENDERLINE_API_KEY to a key of another workspace.',
    stops: 'auth',
  },
  GEO_RESTRICTED: {
    title: 'The platform refuses the place that the worker is in.',
    fix: 'Work from a place that the workspace allows; the workers of a run too.',
    stops: 'never',
  },
  PLAN_LIMIT_REACHED: {
    title: 'The plan allows no more.',
    fix: 'Delete what is not needed or raise the plan; then try again, or resume the run.',
    stops: 'later',
  },
  STORAGE_LIMIT_REACHED: {
    title: 'The storage of the workspace is used up.',
    fix: 'Free some (`renderline clean` lists orphans); then try again, or resume the run.',
    stops: 'later',
  },
  OPERATION_UNRESOLVED: {
    title:
      "The path of an operation is neither in the platform's description nor in the file or the settings.",
    fix: "Add the lines that the message shows to the file, and run it anew; or to the workers' `renderline.yaml`, restart them and resume the run.",
    stops: 'never',
  },
} as const;
