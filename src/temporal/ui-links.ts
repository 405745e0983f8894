// Links to pages of the Temporal UI.

/**
 * The page of a workflow, or of one of its executions. Slashes in ids must be encoded, or the UI does not find the id.
 */
export function workflowUrl(
  uiAddress: string,
  namespace: string,
  workflowId: string,
  runId?: string,
): string {
  const parts = ['namespaces', namespace, 'workflows', workflowId, ...(runId ? [runId] : [])];
  return `${uiAddress.replace(/\/+$/, '')}/${parts.map(encodeURIComponent).join('/')}`;
}
