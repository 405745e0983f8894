// Logs answers of the platform that differ from its reference.
import type { AnswerOddity } from '../api/oddities.ts';
import type { Logger } from '../settings/logger.ts';

export function logOddity(logger: Logger, oddity: AnswerOddity): void {
  logger.warn({ ...oddity }, 'the platform answers otherwise than its reference says');
}
