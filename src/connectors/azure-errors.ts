// Classifies Azure's errors. If a response has no body, its code is in a header, which the client stores in `details`.
import { asRecord } from '../api/unknown-values.ts';
import { diagnoseResponse, findStoreErrorKind } from './bucket/response-codes.ts';
import { type Diagnosis, diagnoseNetworkError } from './bucket/store-errors.ts';

export function diagnoseAzure(error: unknown): Diagnosis | null {
  if (!(error instanceof Error)) return null;
  const { statusCode: status } = asRecord(error);
  const code = findAzureCode(error);
  if (typeof status === 'number') return diagnoseResponse({ status, code, date: dateOf(error) });
  const name = code ?? error.name;
  const errorKind = findStoreErrorKind(name);
  return errorKind === null ? diagnoseNetworkError(error) : { errorKind, code: name };
}

export function findAzureCode(error: unknown): string | undefined {
  const { code, details } = asRecord(error);
  if (typeof code === 'string') return code;
  const { errorCode } = asRecord(details);
  return typeof errorCode === 'string' ? errorCode : undefined;
}

function dateOf(error: object): string | undefined {
  const { headers } = asRecord(asRecord(error)['response']);
  const isMap = typeof headers === 'object' && headers !== null && 'get' in headers;
  const date: unknown = isMap && typeof headers.get === 'function' ? headers.get('date') : null;
  return typeof date === 'string' ? date : undefined;
}
