/**
 * Returns the path of every page of the dashboard by the name of its picture. An operator's pages come last.
 */
export function dashboardPages(
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
    sweeps: `${home}/sweeps`,
    webhook: `${home}/webhook`,
    events: `${home}/events`,
    'api-key': `${home}/api-key`,
    'ip-restriction': `${home}/ip-restriction`,
    fees: `${home}/fees`,
    members: `${home}/members`,
    audit: `${home}/audit`,
    settings: `${home}/settings`,
    'test-payments': `${home}/sandbox`,
    'new-merchant': '/merchants/new',
    security: '/account/security',
    'api-access': '/account/api-access',
    nodes: '/operator/nodes',
    networks: '/operator/networks',
    treasury: '/operator/treasury',
    outgoing: '/operator/outgoing',
    'treasury-withdrawals': '/operator/treasury-withdrawals',
    debts: '/operator/debts',
    'set-fees': '/operator/fees',
    'set-limits': '/operator/limits',
    approvals: '/operator/approvals',
    quarantine: '/operator/quarantine',
    unattributed: '/operator/unattributed',
    'deleted-merchants': '/operator/merchants',
    'webhook-backlog': '/operator/webhooks',
    sandbox: '/operator/sandbox',
  }
}
