// Finds the resource that a request identifies.
import type { ErrorCode } from 'renderline/api/contract/error-codes';
import { fail } from '../http/failure.ts';
import type { ModelRecord, ProjectRecord } from '../state/records.ts';
import type { Table } from '../state/table.ts';
import type { Sandbox } from './sandbox.ts';

/** Returns the record with this id. @param kind kind of resource, for the message @throws ApiFailure with the code */
export function requireRecord<R extends { readonly id: string }>(
  table: Table<R>,
  id: string | undefined,
  kind: string,
  code: ErrorCode = 'NOT_FOUND',
): R {
  return table.get(id ?? '') ?? fail(code, `The ${kind} ${id} does not exist.`);
}

/** Returns the model with this id. @throws ApiFailure MODEL_NOT_FOUND */
export function requireModel({ store }: Sandbox, modelId: string): ModelRecord {
  return requireRecord(store.models, modelId, 'model', 'MODEL_NOT_FOUND');
}

/** Returns the project with this id. @throws ApiFailure PROJECT_NOT_FOUND */
export function requireProject({ store }: Sandbox, projectId: string): ProjectRecord {
  return requireRecord(store.projects, projectId, 'project', 'PROJECT_NOT_FOUND');
}
