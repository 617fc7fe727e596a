import { readLateNetworks } from '../chains/blocks/store.ts'
import { checkoutRoutes } from '../checkout/routes.ts'
import type { Viewers } from '../checkout/viewers.ts'
import type { Clock } from '../core/clock.ts'
import { limits } from '../core/limits.ts'
import { keyBytes, openSealer, type Sealer } from '../core/seal.ts'
import type { Secret } from '../core/settings.ts'
import { dashboardSessionRoutes } from '../merchants/accounts/dashboard-routes.ts'
import { accountRoutes } from '../merchants/accounts/routes.ts'
import { merchantRoutes } from '../merchants/routes.ts'
import type { WebhookRules } from '../merchants/webhook-endpoint.ts'
import { merchantEndRoutes } from '../offboarding/routes.ts'
import { sweepRoutes } from '../outgoing/sweeps/routes.ts'
import { treasuryRoutes } from '../outgoing/treasury/routes.ts'
import { approvalRoutes } from '../outgoing/withdrawals/approvals/routes.ts'
import { claimRoutes } from '../outgoing/withdrawals/claims/claim-routes.ts'
import { ForeignContracts } from '../outgoing/withdrawals/foreign-contracts/find-foreign-contracts.ts'
import { withdrawalRoutes } from '../outgoing/withdrawals/routes.ts'
import { type Metrics, metricsRoute } from '../oversight/health/metrics.ts'
import { nodeRoutes } from '../oversight/health/node-routes.ts'
import { operatorStateRoutes } from '../oversight/health/operator-state-routes.ts'
import { readinessRoute } from '../oversight/health/readiness.ts'
import { overviewRoutes } from '../oversight/overviews/routes.ts'
import { timelineRoutes } from '../oversight/timelines/routes.ts'
import { traceRoutes } from '../oversight/traces/routes.ts'
import { readFunds } from '../payments/balances/read-funds.ts'
import { fundsRoutes } from '../payments/balances/routes.ts'
import { showTransactions } from '../payments/deposits/lists/show-transactions.ts'
import { quarantineRoutes } from '../payments/deposits/quarantine/routes.ts'
import { transactionRoutes } from '../payments/deposits/routes.ts'
import type { PaymentAddressParts } from '../payments/invoices/addresses/give-payment-address.ts'
import { claimTokenKey } from '../payments/invoices/claims/claim.ts'
import { invoiceRoutes } from '../payments/invoices/routes.ts'
import type { Screening } from '../payments/screening/screen.ts'
import type { Db } from '../platform/db/pool.ts'
import type { RateLimiters } from '../platform/http/limits/rate-limiter.ts'
import { documentationRoutes } from '../platform/http/pages/documentation-routes.ts'
import { welcomeRoutes } from '../platform/http/pages/welcome-routes.ts'
import type { Route } from '../platform/http/route.ts'
import { httpRoutes } from '../platform/http/routes.ts'
import { builtEntry, builtIcon, builtScript } from '../platform/web/built-entry.ts'
import { operatorFeeRoutes } from '../pricing/fees/operator-routes.ts'
import { feeRoutes } from '../pricing/fees/routes.ts'
import { operatorLimitRoutes } from '../pricing/limits/operator-routes.ts'
import { limitRoutes } from '../pricing/limits/routes.ts'
import { ownRowRoutes } from '../pricing/own-rows/routes.ts'
import type { OwnRows } from '../pricing/own-rows/signed-rows.ts'
import { paymentMethodRoutes } from '../pricing/payment-methods/routes.ts'
import type { OrderSigner } from '../signing/order-signature.ts'
import type { FeedWaiters } from '../webhooks/feed/feed-waiters.ts'
import { webhookLogRoutes } from '../webhooks/routes.ts'
import type { Access } from './access.ts'
import { contractOf } from './contract/contract.ts'
import { EventView } from './contract/event-kinds.ts'
import type { OpenChains } from './open-chains.ts'
import { entryRoutes } from './own-rows/entries/routes.ts'
import type { OperatorKeys } from './own-rows/open-entry-keys.ts'
import { sandboxRoutes } from './sandbox/routes.ts'
import type { Config } from './settings/config.ts'
import { sessionLifetimes } from './settings/session-lifetimes.ts'
import { unavailableMethods } from './unavailable-methods.ts'

type ApiChains = Pick<OpenChains, 'chains' | 'methods' | 'evmUrls' | 'codecOf' | 'walletChainOf'>

export interface ApiParts extends Access, ApiChains, PaymentAddressParts {
  readonly config: Config
  readonly db: Db
  readonly clock: Clock
  readonly secrets: { readonly encryptionKey: Secret; readonly encryptionKeyPrevious?: Secret | undefined }
  readonly publicUrl: string
  /** Returns the URLs of this service and of the services that it depends on. Webhooks must not be sent to them. */
  ownUrls(): readonly string[]
  readonly screening: Screening
  /** Signs the withdrawals that merchants order. */
  readonly orders: OrderSigner
  readonly rateLimiters: RateLimiters
  readonly metrics: Metrics
  readonly feedWaiters: FeedWaiters
  readonly viewers: Viewers
  /** Returns the operator's own networks and tokens, and refused entries. */
  ownRows(): OwnRows
  readonly operatorKeys: OperatorKeys
  /** The nodes of the EVM networks that this process follows, by network. */
  readonly nodeUrls: ReadonlyMap<string, readonly string[]>
  /** Tells why a chain id cannot be an operator's network; undefined if it can. */
  chainIdProblem(chainId: number): string | undefined
  /** The destinations of treasury withdrawals, by network. */
  readonly coldAddresses: ReadonlyMap<string, string>
  /** The node of the sandbox's own Litecoin chain. */
  readonly litecoinUrl: string | undefined
}

/** Returns every route of the API. No route is declared anywhere else. */
export function apiRoutes(parts: ApiParts): readonly Route[] {
  const { publicUrl, config } = parts
  const describe = () => contractOf(routes, { publicUrl, serviceName: config.serviceName })
  const routes: readonly Route[] = [
    ...capabilityRoutes(parts),
    ...documentationRoutes(describe),
    ...welcomeRoutes({ mode: config.mode, icon: builtIcon() }),
  ]
  return routes
}

/** Whether the chains have a block time of their own. A sandbox mines when it is asked to. */
function isPaced({ mode }: Pick<Config, 'mode'>): boolean {
  return mode === 'production'
}

function readinessOf({ config, db, chains }: ApiParts): Route {
  // Networks are added while the process runs.
  const networks = () => chains.map(({ network }) => network)
  return readinessRoute({ db, networks, isPaced: isPaced(config) })
}

function capabilityRoutes(parts: ApiParts): readonly Route[] {
  const { config, db, methods, chains, codecOf, publicUrl } = parts
  const { encryptionKey, encryptionKeyPrevious } = parts.secrets
  const sealer = openSealer(encryptionKey, encryptionKeyPrevious)
  const perMinute = (name: string, limit: number) => parts.rateLimiters.limiter({ name, limit, windowS: 60 })
  const foreignContracts = new ForeignContracts(chains)
  const withdrawalParts = { ...parts, feeDefaults: config.feeDefaults, foreignContracts }
  return [
    ...httpRoutes(),
    readinessOf(parts),
    ...accountRoutes({
      ...parts,
      ...sessionLifetimes[config.mode],
      sealer,
      registration: config.registration,
      issuer: issuerOf(publicUrl),
    }),
    ...dashboardSessionRoutes({ ...parts, ...sessionLifetimes[config.mode], sealer, mode: config.mode }),
    ...merchantRoutes({
      ...parts,
      sealer,
      webhookRules: () => webhookRulesOf(parts),
      balancesOf: (merchantIds) => readFunds(db, methods, merchantIds),
    }),
    ...merchantEndRoutes(parts),
    ...methodRoutes(parts),
    ...fundsRoutes(parts),
    ...limitRoutes(parts),
    ...feeRoutes({ ...parts, feeDefaults: config.feeDefaults }),
    ...operatorFeeRoutes(parts),
    ...operatorLimitRoutes(parts),
    ...invoiceRoutes({
      ...parts,
      sealer,
      claimKey: claimTokenKey(keyBytes(encryptionKey)),
      formerClaimKey: encryptionKeyPrevious && claimTokenKey(keyBytes(encryptionKeyPrevious)),
      exportLimiter: perMinute('export', limits.exportsPerMinute),
      // During development, the shop's page to which payers return may have no certificate.
      allowHttpRedirect: config.mode === 'sandbox',
      transactionsOf: (on, invoiceId) => showTransactions(methods, on, invoiceId),
    }),
    ...transactionRoutes(parts),
    ...quarantineRoutes(parts),
    ...overviewRoutes(parts),
    ...timelineRoutes(parts),
    ...traceRoutes({ ...parts, traceLimiter: perMinute('trace', limits.tracesPerMinute) }),
    ...webhookLogRoutes({
      ...parts,
      eventView: EventView,
      sendLimiter: perMinute('send-by-hand', limits.manualSendsPerMinute),
      replayLimiter: perMinute('replay', limits.replaysPerMinute),
    }),
    ...withdrawalRoutes(withdrawalParts),
    ...approvalRoutes(withdrawalParts),
    ...sweepRoutes(parts),
    ...claimRoutes(withdrawalParts),
    ...checkoutRoutes({ ...parts, assets: builtEntry('checkout'), embedScript: builtScript('embed') }),
    ...treasuryRoutes({
      ...parts,
      feeDefaults: config.feeDefaults,
      display: (network, address) => codecOf(network).display(address),
    }),
    ...operatorStateRoutes({ db }),
    ...rowRoutes(parts, sealer),
    ...(config.mode === 'sandbox' ? sandboxRoutes(parts) : []),
    ...nodeRoutes({ db, chains, isPaced: isPaced(config) }),
    metricsRoute(parts),
  ]
}

/** The operator's own networks and tokens. */
function rowRoutes(parts: ApiParts, sealer: Sealer): readonly Route[] {
  const { config, operatorKeys, rateLimiters } = parts
  const limit = limits.rowChecksPerMinute
  const checkLimiter = rateLimiters.limiter({ name: 'own-row-check', limit, windowS: 60 })
  return [
    ...ownRowRoutes({ ...parts, canSignHere: operatorKeys.sign !== undefined }),
    ...entryRoutes({ ...parts, sealer, entryMin: config.operatorEntryMin, checkLimiter }),
  ]
}

function methodRoutes({ db, config, methods, codecOf }: ApiParts): readonly Route[] {
  const unavailable = unavailableMethods(config, methods)
  // Networks are added while the process runs, so each request asks for those that are followed now.
  const readLate = () => readLateNetworks(db, [...new Set(methods.followed.map(({ network }) => network))])
  const isMain = config.mode === 'production'
  return paymentMethodRoutes({ methods, codecOf, unavailable, isMain, readLate })
}

function webhookRulesOf({ config, ownUrls }: ApiParts): WebhookRules {
  return {
    allowHttp: config.webhookAllowHttp,
    isHttpInnerOnly: config.mode === 'sandbox',
    allowPrivate: config.webhookAllowPrivate,
    ports: config.webhookPorts,
    ownUrls: ownUrls(),
  }
}

/**
 * Returns the name that an authenticator app shows beside its codes. The name contains the host, because
 * people have accounts on several servers.
 */
function issuerOf(publicUrl: string): string {
  return `Coffer ${new URL(publicUrl).hostname}`
}
