// The options of `renderline sandbox` with their defaults.
import { sandboxDefaults } from 'renderline/sandbox/defaults';
import type { SandboxOptions } from 'renderline/sandbox/interface';

export type ResolvedOptions = ReturnType<typeof resolveOptions>;

/** Thrown for an invalid option. */
export class SandboxOptionError extends Error {
  override name = 'SandboxOptionError';
}

/** Fills in defaults. @throws SandboxOptionError for values out of range */
export function resolveOptions(options: SandboxOptions) {
  const resolvedOptions = {
    ...sandboxDefaults,
    allowPrivateUrls: false,
    connectors: {} as Readonly<Record<string, string>>,
    drawThreads: 1,
    importWaitMs: 1_000,
    clock: Date.now,
    ...options,
  };
  const positive = ['speed', 'windowSeconds', 'linkSeconds', 'keyHours', 'drawThreads'] as const;
  for (const name of positive) {
    if (!(resolvedOptions[name] > 0))
      throw new SandboxOptionError(`${name} must be greater than 0.`);
  }
  if (!Number.isInteger(resolvedOptions.rateLimit) || resolvedOptions.rateLimit < 0) {
    throw new SandboxOptionError(
      'rateLimit must be a whole number of at least 0; 0 sets no limit.',
    );
  }
  if (!(resolvedOptions.pictureScale >= 0 && resolvedOptions.pictureScale <= 1)) {
    throw new SandboxOptionError('pictureScale must be between 0 and 1.');
  }
  return resolvedOptions;
}
