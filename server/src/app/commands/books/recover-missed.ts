/** Books payments at our addresses that the books do not contain, for `coffer recover --missed`. */
import { openChain } from '../../../chains/open-chain.ts'
import type { ChainReader } from '../../../chains/port.ts'
import type { Log } from '../../../core/log.ts'
import { formatDecimal } from '../../../core/money.ts'
import type { Db } from '../../../platform/db/pool.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import {
  type BookedPayment,
  bookAllMissed,
  type MissedOutcome,
} from '../../../recovery/missed/book-missed.ts'
import type { MissedPayment } from '../../../recovery/missed/missed-payment.ts'
import { openLog } from '../../log.ts'
import { findRunningNodes } from '../../open-evm-nodes.ts'
import { utxoNodesOf, withRunningNodes } from '../../open-utxo-nodes.ts'
import { readOwnNodes } from '../../own-rows/read-own-rows.ts'
import { screeningOf } from '../../screening.ts'
import type { Config } from '../../settings/config.ts'
import type { Terminal } from '../command.ts'
import { withMethods } from '../operator-context.ts'

/**
 * Books missed payments.
 * @returns the exit code: 1 if money was found that no transfer explains
 */
export function recoverMissed(terminal: Terminal): Promise<number> {
  return withMethods(terminal, async ({ db, methods, config }) => {
    const log = openLog(config.logLevel)
    const chains = await openReaders(config, db, log)
    const outcomes: MissedOutcome[] = []
    try {
      const screening = screeningOf(config, chains, log)
      const { feeDefaults } = config
      for (const chain of chains) {
        const parts = { db, chain, methods, log, feeDefaults, screening }
        await bookAllMissed(parts, new AbortController().signal, (missed, outcome) => {
          outcomes.push(outcome)
          for (const line of linesOf(methods, missed, outcome)) terminal.print(line)
        })
      }
    } finally {
      await Promise.all(chains.map((chain) => chain.close()))
    }
    if (outcomes.length === 0) terminal.note('No missed payment is known. The watcher keeps searching.')
    return outcomes.every(isExplained) ? 0 : 1
  })
}

function isExplained(outcome: MissedOutcome): boolean {
  return outcome.type === 'booked' ? outcome.restMinor === 0n : outcome.type === 'known'
}

/** @throws Error if no node of a chain answers */
async function openReaders(config: Config, db: Db, log: Log): Promise<readonly ChainReader[]> {
  const evm = await findRunningNodes(config, AbortSignal.timeout(10_000))
  const utxo = utxoNodesOf(await withRunningNodes(config))
  return [...evm, ...(await readOwnNodes(config, db)), ...utxo].map((node) => openChain({ ...node, log }))
}

function linesOf(
  methods: PaymentMethods,
  { address, asset, amountMinor, height }: MissedPayment,
  outcome: MissedOutcome,
): readonly string[] {
  const decimals = methods.byAsset(asset)?.decimals ?? 0
  const what = `${formatDecimal(amountMinor, decimals)} ${asset} at ${address}, block ${height}`
  switch (outcome.type) {
    case 'known':
      return [`known        ${what}: already booked`]
    case 'unexplained':
      return [`unexplained  ${what}: ${outcome.why}`]
    case 'booked': {
      const rest = formatDecimal(outcome.restMinor, decimals)
      const unexplained = `unexplained  ${rest} of ${what}: no other transfer in the block explains it`
      return [...outcome.payments.map(bookedLine), ...(outcome.restMinor > 0n ? [unexplained] : [])]
    }
  }
}

function bookedLine({ amount, asset, recipient, height, txHash, invoiceId }: BookedPayment): string {
  const owner = invoiceId === undefined ? 'nobody: see "coffer treasury"' : `invoice ${invoiceId}`
  return `booked       ${amount} ${asset} at ${recipient}, block ${height}, by ${txHash}, to ${owner}`
}
