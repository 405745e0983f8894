// Errors of operations that cannot be called, because they are unknown or have no path.

export class UnknownOperationError extends Error {
  override name = 'UnknownOperationError';
  readonly operation: string;

  constructor(operation: string, nearest: string | null) {
    const hint = nearest === null ? '' : ` Did you mean "${nearest}"?`;
    super(`the API operation "${operation}" does not exist.${hint}`);
    this.operation = operation;
  }
}

/** The operation has no path in the reference, the live API description, the pipeline file or the settings. */
export class OperationUnresolvedError extends Error {
  override name = 'OperationUnresolvedError';
  readonly operation: string;

  constructor(operation: string, example: string, reason: string) {
    const lines = `operations:\n  ${operation}: '${example}'`;
    super(
      `operation "${operation}" has no path: the platform's reference shows none, and ${reason}. ` +
        `Set the method and path of the operation in the pipeline file, or for all files in renderline.yaml, for example:\n${lines}`,
    );
    this.operation = operation;
  }
}
