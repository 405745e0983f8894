// Logs responses of the platform that differ from its API reference.
import type { AnswerOddity } from '../api/oddities.ts';
import type { Logger } from '../settings/logger.ts';

export function logOddity(logger: Logger, oddity: AnswerOddity): void {
  logger.warn({ ...oddity }, 'the response of the platform differs from its API reference');
}
