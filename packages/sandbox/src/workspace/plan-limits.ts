// Refuses what would exceed the limits of the workspace's plan.
import { fail } from '../http/failure.ts';
import type { Store } from '../state/store.ts';
import type { Limits } from './limits.ts';

interface Workspace {
  readonly limits: Limits;
  readonly store: Store;
}

/** @throws ApiFailure PLAN_LIMIT_REACHED if the plan does not allow this many more models or projects */
export function assertWithinLimit(
  { limits, store }: Workspace,
  kind: 'models' | 'projects',
  addedCount: number,
): void {
  const limit = limits.values[kind];
  const count = store[kind].size;
  if (limit !== null && count + addedCount > limit) {
    fail(
      'PLAN_LIMIT_REACHED',
      `The plan allows ${limit} ${limit === 1 ? kind.slice(0, -1) : kind}. Existing: ${count}; requested in addition: ${addedCount}.`,
    );
  }
}

/** @throws ApiFailure STORAGE_LIMIT_REACHED if stored files and files of these sizes together exceed the limit */
export function assertWithinStorage(
  { limits, store }: Workspace,
  ...sizes: readonly number[]
): void {
  const { storageBytes } = limits.values;
  if (storageBytes === null) return;
  const files = [...store.models.all, ...store.props.all].flatMap(({ file }) => file ?? []);
  const storedFiles = files.filter(({ tooLarge }) => !tooLarge);
  const usedBytes = storedFiles.reduce((sum, { bytes }) => sum + bytes, 0);
  const moreBytes = sizes.reduce((sum, bytes) => sum + bytes, 0);
  if (usedBytes + moreBytes <= storageBytes) return;
  fail(
    'STORAGE_LIMIT_REACHED',
    `The workspace may store ${storageBytes} bytes. Used: ${usedBytes}; requested in addition: ${moreBytes}.`,
  );
}
