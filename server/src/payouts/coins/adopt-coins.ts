import type { CoinDraft } from '../../chains/coin-port.ts'
import { assert, required } from '../../core/assert.ts'
import { sum } from '../../core/money.ts'
import type { Tx } from '../../db/transaction.ts'
import type { HotPlace } from '../../intents/intent.ts'
import type { LogEntry } from '../../intents/signer-port.ts'
import type { SentFrom } from '../way.ts'
import { type CoinParts, placeOf } from './coin-parts.ts'
import { insertHotPlaces, readInputs, reserveCoins } from './coin-store.ts'
import { feesOf, noChange } from './shape.ts'

/** What an entry of the signer's log spends from, and what it offers. */
export function readCoinEntry({ drafts }: CoinParts, entry: LogEntry): SentFrom {
  assert('psbt' in entry, 'an entry of such a network spends coins')
  const draft = drafts.readPsbt(entry.psbt)
  const outputsWeight = draft.outputs.reduce(
    (weight, { address }) => weight + drafts.outputWeight(address),
    0,
  )
  const weight = drafts.emptyWeight + draft.inputs.length * drafts.inputWeight + outputsWeight
  const feeMinor = totalOf(draft.inputs) - totalOf(draft.outputs)
  const from = changeOf(draft)?.place ?? noChange
  return { from, wallet: entry.anchor, nonce: 0, fees: feesOf(weight, feeMinor) }
}

/** The coins of what is taken over, the anchor first, and where its change went. */
export async function adoptCoins({ drafts, network }: CoinParts, tx: Tx, entry: LogEntry): Promise<void> {
  assert('psbt' in entry, 'an entry of such a network spends coins')
  const draft = drafts.readPsbt(entry.psbt)
  const change = changeOf(draft)
  await insertHotPlaces(tx, network.name, change === undefined ? [] : [change])
  if ((await readInputs(tx, [entry.payoutId])).size > 0) return
  const inputs = draft.inputs.map(({ outpoint, amountMinor, key }) => ({
    ...{ outpoint, amountMinor, place: placeOf(key) },
  }))
  const isReserved = await reserveCoins(tx, [{ payoutId: entry.payoutId, network: network.name, inputs }])
  assert(isReserved, `a coin of ${entry.payoutId} is another payout's, of which the signer knows nothing`)
}

function changeOf({
  outputs,
}: CoinDraft): { readonly place: HotPlace; readonly address: string } | undefined {
  const own = outputs.find(({ key }) => key !== undefined)
  if (own === undefined) return undefined
  const place = placeOf(required(own.key, 'its key'))
  assert(place.type === 'hot', 'change goes to the hot wallet')
  return { place, address: own.address }
}

function totalOf(amounts: readonly { readonly amountMinor: bigint }[]): bigint {
  return sum(amounts.map(({ amountMinor }) => amountMinor))
}
