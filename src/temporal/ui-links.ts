// Addresses of pages in the Temporal UI.

/**
 * The page of a workflow, or of one of its executions. Slashes in ids are encoded: the UI finds ids
 * only by their encoded form.
 */
export function workflowPage(
  uiAddress: string,
  namespace: string,
  workflowId: string,
  runId?: string,
): string {
  const parts = ['namespaces', namespace, 'workflows', workflowId, ...(runId ? [runId] : [])];
  return `${uiAddress.replace(/\/+$/, '')}/${parts.map(encodeURIComponent).join('/')}`;
}
