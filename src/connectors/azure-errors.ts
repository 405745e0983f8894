// Translates Azure's codes. An answer without a body has its code in a header, which the client keeps apart.
import { looseFields } from '../api/loose-fields.ts';
import { type Diagnosis, networkTrouble, type Trouble } from './bucket/trouble.ts';

const troubles: Readonly<Record<string, Trouble | undefined>> = {
  BlobNotFound: 'no-object',
  ResourceNotFound: 'no-object',
  ContainerNotFound: 'no-bucket',
  ContainerBeingDeleted: 'no-bucket',
  ContainerDisabled: 'no-bucket',
  InvalidRange: 'out-of-range',
  AuthenticationFailed: 'bad-credentials',
  NoAuthenticationInformation: 'bad-credentials',
  InvalidAuthenticationInfo: 'bad-credentials',
  BadConnectionString: 'bad-credentials',
  AuthorizationFailure: 'denied',
  AuthorizationPermissionMismatch: 'denied',
  InsufficientAccountPermissions: 'denied',
  AccountIsDisabled: 'denied',
  InvalidResourceName: 'misconfigured',
  RequestBodyTooLarge: 'too-large',
};

export function diagnoseAzure(error: unknown): Diagnosis | null {
  if (!(error instanceof Error)) return null;
  const { statusCode } = looseFields(error);
  const code = azureCode(error);
  const name = code ?? error.name;
  const trouble = troubles[name];
  if (trouble !== undefined) return { trouble, code: name };
  if (typeof statusCode !== 'number') return networkTrouble(error);
  const shown = code ?? `status ${statusCode}`;
  if (statusCode >= 500 || statusCode === 429 || statusCode === 408) {
    return { trouble: 'unreachable', code: shown };
  }
  if (statusCode === 401 || statusCode === 403) return { trouble: 'denied', code: shown };
  return { trouble: 'refused', code: shown };
}

export function azureCode(error: unknown): string | undefined {
  const { code, details } = looseFields(error);
  if (typeof code === 'string') return code;
  const { errorCode } = looseFields(details);
  return typeof errorCode === 'string' ? errorCode : undefined;
}
