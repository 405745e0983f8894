// Addresses of pages and files, relative to the base path.

/** Address of a run's page, relative to the base path. */
export function runAddress(run: string): string {
  return `runs/${encodeURIComponent(run)}`;
}

/** Address of a delivered file. It keeps the file's extension, by which report pages recognize pictures. */
export function fileAddress(run: string, path: string): string {
  return `${runAddress(run)}/file/${path.split('/').map(encodeURIComponent).join('/')}`;
}
