// Causes that stop a whole run. Pure.

/** Why a run stopped submitting. `auth` needs another key, `later` can be tried again, `never` ends it. */
export interface RunCause {
  code: string;
  message: string;
  /** Advice to a person. */
  fix: string;
  kind: 'auth' | 'later' | 'never' | 'not-found';
}

/** Code of the cause that a run is paused with while new pictures wait for approval (`accept` of an export). */
export const picturesChanged = 'PICTURES_CHANGED';
