import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { operationsOf } from '../../compile/build-plan.ts';
import {
  formatPlatformFile,
  mergePlatformPipeline,
  type PlatformPipeline,
} from '../../compile/platform-file.ts';
import { fitToPlatform, type PlatformConversion } from '../../compile/platform-shape.ts';
import { errnoOf } from '../../connectors/connector-error.ts';
import { writeAtomically } from '../../connectors/disk/atomic-file.ts';
import { commandFailures } from '../../failures/commands.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { Plan } from '../../plan/types.ts';
import type { App } from '../app.ts';
import { assertValid, checkFile } from '../compile-pipeline.ts';
import { RenderlineError } from '../renderline-error.ts';

/**
 * Converts a pipeline file into the platform's format, and returns the operations that it uses.
 * @throws RenderlineError if the file is invalid, or has node types that the platform does not support
 */
export async function convertForPlatform(
  app: App,
  file: string,
  parameters: Readonly<Record<string, string>>,
): Promise<PlatformConversion & Pick<Plan, 'operations'>> {
  const checkedFile = await checkFile(app, file, parameters);
  assertValid(app, checkedFile);
  if (checkedFile.pipeline === null) throw new Error(`${file} is valid but has no fields`);
  const conversion = fitToPlatform(checkedFile.pipeline);
  const namedOperations = omitUndefined({ operations: operationsOf(checkedFile.pipeline) });
  if (conversion.foreign.length === 0) return { ...conversion, ...namedOperations };
  throw new RenderlineError(
    commandFailures.NODES_NOT_ON_PLATFORM,
    `${file}: the platform does not support these nodes: ${conversion.foreign.join(', ')}.`,
  );
}

/** Writes a pipeline of the platform to a file. If no file is given, only returns the text. */
export async function pullIntoFile(
  app: App,
  pipeline: PlatformPipeline,
  file: string | undefined,
): Promise<{ text: string; state: 'created' | 'updated' | 'unchanged' | 'shown' }> {
  if (file === undefined) return { text: formatPlatformFile(pipeline), state: 'shown' };
  const path = resolve(app.cwd, file);
  const currentText = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  });
  // An existing file is checked first. If it is invalid, it is not overwritten.
  if (currentText !== null) assertValid(app, await checkFile(app, file, null));
  const text =
    currentText === null
      ? formatPlatformFile(pipeline)
      : mergeIntoText(file, currentText, pipeline);
  if (text === currentText) return { text, state: 'unchanged' };
  await writeAtomically(path, Buffer.from(text), {});
  return { text, state: currentText === null ? 'created' : 'updated' };
}

function mergeIntoText(file: string, currentText: string, pipeline: PlatformPipeline): string {
  const result = mergePlatformPipeline(currentText, pipeline);
  if ('text' in result) return result.text;
  throw new RenderlineError(
    commandFailures.NODES_DIFFER,
    `The nodes of ${file} differ from those on the platform: ${result.differs}. Nothing was written.`,
  );
}
