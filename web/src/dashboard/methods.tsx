/** Names payment methods and networks for people. */
import type { components } from 'coffer-sdk'
import { ExternalLink } from 'lucide-react'
import { Badge } from '../design/badge.tsx'
import { Copyable } from '../design/copyable.tsx'
import { CoinMark, NetworkMark } from '../design/marks.tsx'
import { useApi } from './use-api.ts'

type Method = components['schemas']['PaymentMethod']

export function methodLabel({ symbol, networkName }: Pick<Method, 'symbol' | 'networkName'>): string {
  return `${symbol} on ${networkName}`
}

/** Explains that payments by contracts are seen late in a payment method; undefined if they are not. */
export function lateHint(
  method: Pick<Method, 'symbol' | 'internalTransfers'> | undefined,
): string | undefined {
  if (method?.internalTransfers !== 'late') return undefined
  return `${method.symbol} that a contract sends is credited late, when its block is final.`
}

/** Converts payment methods to options of a select field. */
export function methodOptions(methods: readonly Method[]) {
  return methods.map((method) => ({ value: String(method.paymentMethodID), label: methodLabel(method) }))
}

/** Shows a payment method with the marks of its coin and its network. */
export function MethodName({ method }: { method: Method | undefined }) {
  if (method === undefined) return '–'
  return (
    <span className="inline-flex items-center gap-1.5 align-bottom">
      <CoinMark symbol={method.symbol} />
      <NetworkMark network={method.network} />
      {methodLabel(method)}
      {lateHint(method) !== undefined && (
        <span title={lateHint(method)}>
          <Badge tone="note">internal transfers late</Badge>
        </span>
      )}
    </span>
  )
}

/** Returns the title of a network, also of one that this server does not follow. */
export function useNetworkTitles(): (network: string) => string {
  const { data: methods = [] } = useApi('listPaymentMethods', { include: 'unavailable' })
  return (network) => methods.find((one) => one.network === network)?.networkName ?? network
}

/** Shows a network with its mark. */
export function NetworkName({ network }: { network: string }) {
  const titleOf = useNetworkTitles()
  return (
    <span className="inline-flex items-center gap-1.5 align-bottom">
      <NetworkMark network={network} />
      {titleOf(network)}
    </span>
  )
}

/** Marks a payment that no known transaction brought. */
export function FoundByBalance() {
  return <Badge tone="note">found by balance</Badge>
}

interface HashProps {
  readonly txHash: string
  /** The payment method of the transaction; undefined if it is unknown. */
  readonly method: Method | undefined
  readonly isShortened?: boolean
}

/** Shows a transaction hash with a link to the block explorer, if the network has one. */
export function TransactionHash({ txHash, method, isShortened = false }: HashProps) {
  const explorer = method?.explorerURL ?? null
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <Copyable value={txHash} what="transaction hash" isShortened={isShortened} />
      {explorer !== null && (
        <a
          href={`${explorer}/tx/${txHash}`}
          target="_blank"
          rel="noreferrer"
          aria-label={`Open in ${new URL(explorer).host}`}
          className="relative z-10 shrink-0 rounded-md p-1 text-ink-faint hover:bg-band hover:text-ink"
        >
          <ExternalLink aria-hidden className="size-3.5" />
        </a>
      )}
    </span>
  )
}
