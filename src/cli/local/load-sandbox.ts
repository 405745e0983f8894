// The one place that loads the sandbox: workers are installed without it.
import type { SandboxPackage } from '../../sandbox/interface.ts';
import { CliError, exitCode } from '../exit.ts';

// Not a literal in the import: the compiler would follow it into a package that depends on this one.
const name: string = '@renderline/sandbox';

/** @throws CliError SANDBOX_NOT_INSTALLED */
export async function loadSandbox(): Promise<SandboxPackage> {
  try {
    return await import(name);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    throw new CliError(
      exitCode.usage,
      'SANDBOX_NOT_INSTALLED',
      `The sandbox, ${name}, is not installed here.`,
      'Install it with the rest of a clone of the repository: npm ci',
    );
  }
}

/** The package itself was not found, rather than something it needs. */
function isAbsent(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith(`Cannot find package '${name}'`);
}
