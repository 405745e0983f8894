// Formats numbers for the generated pages.

export { formatNumber } from '../plan/helpers/format-count.ts';

export function formatBytes(many: number): string {
  if (many >= 1024 ** 3) return `${many / 1024 ** 3} GiB`;
  if (many >= 1024 ** 2) return `${many / 1024 ** 2} MiB`;
  return many >= 1024 ? `${many / 1024} KiB` : `${many} bytes`;
}
