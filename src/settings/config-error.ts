import { commandFailures } from '../failures/commands.ts';

/** A setting that cannot be used; the message names it and where it came from. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly failure = commandFailures.CONFIG;
  readonly fix: string;

  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}
