import type { FeatureIdRules } from '../../store/records/id-rules.ts';

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    projectId?: string;
    /** True if this run created the project and started one render job in it, so all outputs are from that job. */
    ownProject?: boolean;
  }
}

export const projectIdRules: FeatureIdRules = {
  createdFields: ['projectId'],
  ofRender: ['ownProject'],
  completion: { stage: 'composition', isDone: ({ projectId }) => projectId !== undefined },
};
