import type { FeatureIdRules } from '../../store/records/id-rules.ts';

/** A production file: in progress, finished or failed. Never contains the signed link. */
export interface SheetRef {
  exportId?: string;
  /** Number of variants that the platform captures for the file. Absent if unknown. */
  captures?: number;
  fileId?: string;
  /** Number and version, such as `PF-00012-v3`. */
  name?: string;
  /** Why the platform created no file. */
  failure?: string;
}

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    sheet?: SheetRef;
  }
}

export const productionIdRules: FeatureIdRules = {
  createdFields: ['sheet'],
  ofSheet: ['sheet'],
  completion: { stage: 'sheet', isDone: ({ sheet }) => sheet?.fileId !== undefined },
};
