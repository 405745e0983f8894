import type { WorkflowFailureCode } from '../plan/run/workflow-failure-codes.ts';

/** Thrown for a setting that cannot be used. The message contains the setting and where it came from. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly code = 'CONFIG' satisfies WorkflowFailureCode;
  readonly fix: string;

  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}
