// Checks packages for common publishing mistakes: missing files and wrong types.
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { filterProblems, problemKindInfo } from '@arethetypeswrong/core/problems';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** The packages contain only ES modules. */
const resolutions = ['node16-esm', 'bundler'] as const;

/** @returns one line for each fault of a tarball */
export async function faultsOf(tarball: Uint8Array): Promise<string[]> {
  // The bytes are copied, because small Node buffers share their memory.
  const pack = { tarball: new Uint8Array(tarball).buffer };
  const { messages, pkg } = await publint({ pack, strict: true });
  const linted = messages.map((message) => formatMessage(message, pkg) ?? message.code);
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
  if (analysis.types === false) return [...linted, 'It has no types.'];
  const problems = resolutions.flatMap((resolutionKind) =>
    filterProblems(analysis, { resolutionKind }).map(
      (problem) => `${problemKindInfo[problem.kind].title} (${resolutionKind})`,
    ),
  );
  return [...linted, ...new Set(problems)];
}
