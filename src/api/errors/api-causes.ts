// Errors that every request of a run would encounter, with titles and fixes for people.

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
    title: 'The workspace of the key no longer exists.',
    fix: 'Set RENDERLINE_API_KEY to a key of another workspace.',
    stops: 'auth',
  },
  GEO_RESTRICTED: {
    title: 'The platform refuses access from the location of the worker.',
    fix: 'Use a location that the workspace allows, for commands and for workers.',
    stops: 'never',
  },
  PLAN_LIMIT_REACHED: {
    title: 'The limit of the plan is reached.',
    fix: 'Delete what is not needed or upgrade the plan; then retry, or resume the run.',
    stops: 'later',
  },
  STORAGE_LIMIT_REACHED: {
    title: 'The storage of the workspace is used up.',
    fix: 'Free some storage (`renderline clean` lists orphans); then retry, or resume the run.',
    stops: 'later',
  },
  OPERATION_UNRESOLVED: {
    title:
      "The path of an operation is in neither the platform's API description, the pipeline file nor the settings.",
    fix: "Add the lines from the message to the pipeline file and start a new run; or add them to the workers' `renderline.yaml`, restart the workers and resume the run.",
    stops: 'never',
  },
} as const;
