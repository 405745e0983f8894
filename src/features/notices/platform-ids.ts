// Platform ids of notices: the delivery of each notice about an asset.
import type { FeatureIdRules } from '../../store/records/id-rules.ts';

export interface NoticeDelivery {
  /** The header `webhook-id`, which is the same for all assets of the notice and for every attempt. */
  id: string;
  /** HTTP status of the last response. Null if there was none. */
  status: number | null;
  attempts: number;
  /** Time of the last attempt, ISO 8601. */
  at: string;
  /** Hash of the notified state. The same state is not notified twice. */
  about: string;
}

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    /** Deliveries of notices by the id of the `notify` node. */
    notices?: Record<string, NoticeDelivery>;
  }
}

export const noticeIdRules: FeatureIdRules = {
  transient: ['notices'],
  /** Merges the notices of parallel nodes, each of which has only its own notice. */
  merge({ notices: previousNotices }, { notices }) {
    return notices === undefined ? {} : { notices: { ...previousNotices, ...notices } };
  },
};
