// Loaded by its path into workers that encrypt: messages and stack traces of activities become payloads.
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
