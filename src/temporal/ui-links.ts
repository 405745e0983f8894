// Links to pages of the Temporal UI.

/** Returns the page of a workflow or of one execution. Slashes in ids are encoded, or the UI does not find the id. */
export function workflowUrl(
  uiAddress: string,
  namespace: string,
  workflowId: string,
  runId?: string,
): string {
  const parts = ['namespaces', namespace, 'workflows', workflowId, ...(runId ? [runId] : [])];
  return `${uiAddress.replace(/\/+$/, '')}/${parts.map(encodeURIComponent).join('/')}`;
}
