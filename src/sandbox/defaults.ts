// Defaults of the sandbox's options. The help of the commands shows them.
import type { SandboxOptions } from './interface.ts';

export const sandboxDefaults = {
  rateLimit: 600,
  speed: 1,
  tier: 'enterprise',
  windowSeconds: 60,
  linkSeconds: 3600,
  keyHours: 24,
  pictureScale: 1,
} as const satisfies SandboxOptions;
