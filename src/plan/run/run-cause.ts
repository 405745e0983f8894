/**
 * Why a run stopped submitting. `kind`: `auth` needs another key, `later` can be retried, `never` and `not-found` end
 * a run that is still finding its assets.
 */
export interface RunCause {
  code: string;
  message: string;
  fix: string;
  kind: 'auth' | 'later' | 'never' | 'not-found';
}

/** Code of the cause that pauses a run while changed pictures wait for approval (`accept` of an export). */
export const picturesChangedCode = 'PICTURES_CHANGED';
