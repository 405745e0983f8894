// The quota of a file: how many renders its runs, or those of its workspace, may start in a calendar month. Pure.
import { instantOf, zoneOffset } from './helpers/zone-offset.ts';

export interface RenderQuota {
  /** Maximum number of render jobs and captures. */
  perMonth: number;
  /** Whose renders count. */
  per: 'pipeline' | 'workspace';
  /** IANA name of the time zone whose calendar months count. */
  timezone: string;
  /** What happens to renders that do not fit: their assets fail, or they wait for the next month. */
  onBreach: 'stop' | 'wait';
  /** Name of the connector that keeps the count; absent: the records. */
  at?: string;
}

export interface QuotaMonth {
  /** Such as `2026-11`. */
  name: string;
  /** Epoch ms. */
  endsAtMs: number;
}

/** The calendar month of an instant. */
export function monthOf(instantMs: number, timezone: string): QuotaMonth {
  const offsetAt = zoneOffset(timezone);
  const local = new Date(instantMs + offsetAt(instantMs));
  const nextMonth = Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 1);
  return { name: local.toISOString().slice(0, 7), endsAtMs: instantOf(nextMonth, offsetAt) };
}
