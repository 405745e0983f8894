/** Why a run stopped submitting. `auth` needs another key, `later` is retried, others end a run's discovery. */
export interface RunCause {
  code: string;
  message: string;
  /** Advice to a person. */
  fix: string;
  kind: 'auth' | 'later' | 'never' | 'not-found';
}

/** Code of the cause with which a run is paused while changed pictures wait for approval (`accept` of an export). */
export const picturesChangedCode = 'PICTURES_CHANGED';
