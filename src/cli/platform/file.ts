// Converts pipeline files into the platform's own pipelines, and back.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { operationsOf } from '../../compile/operations.ts';
import { fileOfShown, mergeShown, type ShownPipeline } from '../../compile/platform-file.ts';
import { type Fitted, fitToPlatform } from '../../compile/platform-shape.ts';
import { writeAtomically } from '../../connectors/atomic-file.ts';
import { errnoOf } from '../../connectors/connector-error.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { Plan } from '../../plan/types.ts';
import { checkFile, refuseInvalid } from '../compiled-file.ts';
import { CliError } from '../exit.ts';
import type { Session } from '../session.ts';

/**
 * Converts a pipeline file into the platform's shape, with the operations that it names.
 * @throws CliError if the file is not valid, or has node types that the platform does not have
 */
export async function fittedFile(
  session: Session,
  file: string,
  parameters: Readonly<Record<string, string>>,
): Promise<Fitted & Pick<Plan, 'operations'>> {
  const checked = await checkFile(session, file, parameters);
  refuseInvalid(session, checked);
  if (checked.pipeline === null) throw new Error(`${file} is valid but has no fields`);
  const fitted = fitToPlatform(checked.pipeline);
  if (fitted.foreign.length === 0) return { ...fitted, ...operationsOf(checked.pipeline) };
  throw new CliError(
    commandFailures.NODES_NOT_ON_PLATFORM,
    `${file}: the platform does not have these nodes: ${fitted.foreign.join(', ')}.`,
  );
}

/** Writes a pipeline of the platform into a file; without a file it only returns the text. */
export async function pullInto(
  session: Session,
  shown: ShownPipeline,
  file: string | undefined,
): Promise<{ text: string; state: 'created' | 'updated' | 'unchanged' | 'shown' }> {
  if (file === undefined) return { text: fileOfShown(shown), state: 'shown' };
  const path = resolve(session.io.cwd, file);
  const before = await textOf(path);
  // An existing file that is not valid is not overwritten.
  if (before !== null) refuseInvalid(session, await checkFile(session, file, null));
  const text = before === null ? fileOfShown(shown) : merged(file, before, shown);
  if (text === before) return { text, state: 'unchanged' };
  await writeAtomically(path, Buffer.from(text), {});
  return { text, state: before === null ? 'created' : 'updated' };
}

function merged(file: string, before: string, shown: ShownPipeline): string {
  const answer = mergeShown(before, shown);
  if ('text' in answer) return answer.text;
  throw new CliError(
    commandFailures.NODES_DIFFER,
    `${file} has other nodes: ${answer.differs}. Nothing was written.`,
  );
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}
