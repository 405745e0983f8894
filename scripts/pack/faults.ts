// What those who make packages have found to go wrong with them: files that are not there, types that do not fit.
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { filterProblems, problemKindInfo } from '@arethetypeswrong/core/problems';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** Packages are ES modules only, for Node and bundlers of today. */
const resolutions = ['node16-esm', 'bundler'] as const;

/** @returns a line for each fault of a tarball; none where all is well */
export async function faultsOf(tarball: Uint8Array): Promise<string[]> {
  // A copy: a small buffer of Node's may share its memory.
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
