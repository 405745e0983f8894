// Classifies Azure's errors. A response without a body has its code in a header, which the client keeps separately.
import { looseFields } from '../api/loose-fields.ts';
import { diagnoseAnswer, troubleOfCode } from './bucket/answers.ts';
import { type Diagnosis, networkTrouble } from './bucket/trouble.ts';

export function diagnoseAzure(error: unknown): Diagnosis | null {
  if (!(error instanceof Error)) return null;
  const { statusCode: status } = looseFields(error);
  const code = azureCode(error);
  if (typeof status === 'number') return diagnoseAnswer({ status, code, date: dateOf(error) });
  const name = code ?? error.name;
  const trouble = troubleOfCode(name);
  return trouble === null ? networkTrouble(error) : { trouble, code: name };
}

export function azureCode(error: unknown): string | undefined {
  const { code, details } = looseFields(error);
  if (typeof code === 'string') return code;
  const { errorCode } = looseFields(details);
  return typeof errorCode === 'string' ? errorCode : undefined;
}

function dateOf(error: object): string | undefined {
  const { headers } = looseFields(looseFields(error)['response']);
  const isMap = typeof headers === 'object' && headers !== null && 'get' in headers;
  const date: unknown = isMap && typeof headers.get === 'function' ? headers.get('date') : null;
  return typeof date === 'string' ? date : undefined;
}
