/** Every page of the dashboard, by the name of its picture; an operator's ones at the end. */
export function placesOf(
  merchantId: string,
  invoiceId: string,
  txHash: string,
): Readonly<Record<string, string>> {
  const home = `/m/${merchantId}`
  return {
    overview: `${home}/overview`,
    invoices: `${home}/invoices`,
    'new-invoice': `${home}/invoices/new`,
    invoice: `${home}/invoices/${invoiceId}`,
    transactions: `${home}/transactions`,
    trace: `${home}/trace?hash=${txHash}`,
    withdrawals: `${home}/withdrawals`,
    'new-withdrawal': `${home}/withdrawals/new`,
    collections: `${home}/collections`,
    webhook: `${home}/webhook`,
    events: `${home}/events`,
    'api-key': `${home}/api-key`,
    'ip-restriction': `${home}/ip-restriction`,
    fees: `${home}/fees`,
    members: `${home}/members`,
    audit: `${home}/audit`,
    settings: `${home}/settings`,
    security: '/account/security',
    'api-access': '/account/api-access',
    nodes: '/operator/nodes',
    treasury: '/operator/treasury',
    approvals: '/operator/approvals',
    quarantine: '/operator/quarantine',
    unattributed: '/operator/unattributed',
    'webhook-backlog': '/operator/webhooks',
    sandbox: '/operator/sandbox',
  }
}
