// Addresses of pages and files, relative to the base path.

/** Returns the address of a run's page, relative to the base path. */
export function runAddress(run: string): string {
  return `runs/${encodeURIComponent(run)}`;
}

/**
 * Returns the address of a delivered file. It keeps the file's extension, by which report pages recognize pictures.
 * @param delivery fingerprint of the export, if several exports may have delivered a file with this path
 */
export function formatFileAddress(run: string, path: string, delivery?: string): string {
  const address = `${runAddress(run)}/file/${path.split('/').map(encodeURIComponent).join('/')}`;
  return delivery === undefined ? address : `${address}?of=${encodeURIComponent(delivery)}`;
}
