// The SDK loads this file by path into clients and workers that encrypt. It moves messages and stacks of failures into
// payloads.
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
