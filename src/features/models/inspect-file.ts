// Inspects a file before its upload, and checks what later nodes require of it. `plan`, the canary selection and the
// run use the same rules.
import { posix } from 'node:path';
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { findSourceProblem, openSourceBytes } from '../../engine/uploads/source-file.ts';
import { findFileType } from '../../engine/uploads/upload-names.ts';
import { assetFailures } from '../../failures/assets.ts';
import type { FailureReason } from '../../failures/fail.ts';
import { fileFailures } from '../../failures/files.ts';
import { inspectSource } from '../../glb/inspect-model.ts';
import type { ReadSideFile } from '../../glb/side-files.ts';
import type { Asset, AssetSource, FileDemand, Plan } from '../../plan/types.ts';
import type { InspectedModel } from '../model-rules/compare-model.ts';
import { validateWithKhronos } from '../model-rules/khronos-validator.ts';
import { checkRules, isValidatorNeeded, type NodeRules } from '../model-rules/rule-demands.ts';
import { checkSlots } from '../slots/slot-demands.ts';
import { modelFailures } from './failures.ts';

/** Maximum number of bytes read from a companion file, such as a material library, which is a few kilobytes. */
const companionBytes = 256 * 1024;

/** The inspection of an acceptable file, or the reason why the run refuses the file. */
export type FileInspection =
  | ({ problem: null } & InspectedModel)
  | { inspection: null; khronos: null; problem: FailureReason };

/**
 * @param rules rules to compare the file with. They determine what is measured
 * @throws errors that are not caused by the file, such as a store that does not respond
 */
export async function inspectFile(
  source: AssetSource,
  connector: Connector,
  signal: AbortSignal,
  rules: readonly NodeRules[] = [],
): Promise<FileInspection> {
  const refuse = (problem: FailureReason) => ({ inspection: null, khronos: null, problem });
  const fileType = findFileType(source.path);
  if (fileType === null) {
    const message = `"${source.path}" needs an extension of 1 to 8 letters or digits`;
    return refuse({ failure: modelFailures.NO_FILE_TYPE, message });
  }
  try {
    const bytes = openSourceBytes(source, connector, signal);
    const inspection = await inspectSource(bytes, fileType, {
      readSideFile: createSideFileReader(source, connector, signal),
      isMeasured: rules.length > 0,
      isGeometryRead: true,
    });
    if (inspection.verdict !== 'reject') {
      const isValidated = inspection.container !== 'other' && isValidatorNeeded(rules);
      const khronos = isValidated ? await validateWithKhronos(bytes, signal) : null;
      return { inspection, khronos, problem: null };
    }
    const failure =
      inspection.code === null ? assetFailures.REFUSED : fileFailures[inspection.code];
    return refuse({ failure, message: inspection.message });
  } catch (error) {
    const problem = await findSourceProblem(error, connector);
    if (problem === null) throw error;
    return refuse(problem);
  }
}

/** Reads files that a model references. An unreadable file is ignored, because only the model is uploaded. */
function createSideFileReader(
  source: AssetSource,
  connector: Connector,
  signal: AbortSignal,
): ReadSideFile {
  return async (name) => {
    const path = posix.join(posix.dirname(source.path), name);
    if (path.startsWith('..') || path.startsWith('/')) return null;
    try {
      return (await connector.readPart(path, 0, companionBytes, signal)).bytes;
    } catch (error) {
      if (error instanceof ConnectorError) return null;
      throw error;
    }
  };
}

/** True for a file that the run would refuse even without rules. Always false for texture sets, which have no model. */
export async function isBrokenFile(
  source: AssetSource,
  connector: Connector,
  signal: AbortSignal,
): Promise<boolean> {
  if (source.set !== undefined) return false;
  return (await inspectFile(source, connector, signal)).problem !== null;
}

interface DemandCheck {
  /** Failure of a file that does not meet the demands. Null if the file is accepted. */
  problem: FailureReason | null;
  /** Warnings about rules. */
  warnings: string[];
  slotWarnings: string[];
}

/** @param rules the rules for the asset, as `findNodeRules` finds them among `demands` */
export function checkDemands(
  asset: Asset,
  model: InspectedModel,
  demands: readonly FileDemand[],
  parameters: Plan['parameters'],
  rules: readonly NodeRules[],
): DemandCheck {
  const byRules = checkRules(rules, model);
  const bySlots = checkSlots(asset, model.inspection, demands, parameters);
  return {
    problem: byRules.problem ?? bySlots.problem,
    warnings: byRules.warnings,
    slotWarnings: bySlots.warnings,
  };
}
