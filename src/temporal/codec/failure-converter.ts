// The SDK loads this file by path into workers that encrypt. It moves messages and stack traces of activities into payloads.
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
