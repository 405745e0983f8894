// Errors that every request of a run would encounter, with titles and fixes for people.

export const apiCauses = {
  MISSING_API_KEY: {
    title: 'No API key is set.',
    fix: 'Set RENDERLINE_API_KEY to a valid key of the workspace. For a paused run, set the key on its workers, then resume the run.',
    stops: 'auth',
  },
  INVALID_API_KEY: {
    title: 'The API key is wrong, revoked or expired.',
    fix: 'Set RENDERLINE_API_KEY to a valid key of the workspace. For a paused run, set the key on its workers, restart the workers, then resume the run.',
    stops: 'auth',
  },
  WORKSPACE_NOT_FOUND: {
    title: 'The workspace of the key no longer exists.',
    fix: 'Set RENDERLINE_API_KEY to a key of another workspace.',
    stops: 'auth',
  },
  GEO_RESTRICTED: {
    title: 'The platform does not allow access from the location of the worker or command.',
    fix: 'Run commands and workers from a location that the workspace allows.',
    stops: 'never',
  },
  PLAN_LIMIT_REACHED: {
    title: 'A limit of the workspace plan has been reached.',
    fix: 'Delete objects that are no longer needed, or upgrade the plan; then retry, or resume the run.',
    stops: 'later',
  },
  PAYMENT_REQUIRED: {
    title: 'The platform requires payment, for example because the usage of the plan is used up.',
    fix: 'Check the plan and its usage on the platform; then retry, or resume the run.',
    stops: 'later',
  },
  STORAGE_LIMIT_REACHED: {
    title: 'The storage of the workspace is full.',
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
