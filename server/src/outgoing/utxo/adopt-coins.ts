import type { CoinDraft } from '../../chains/utxo/coin-port.ts'
import { assert, required } from '../../core/assert.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { HotPlace } from '../../signing/intent.ts'
import type { LogEntry } from '../../signing/signer-port.ts'
import { haltPayouts } from '../engine/controls/halts.ts'
import type { SentFrom } from '../engine/way.ts'
import { type CoinParts, placeOf } from './coin-parts.ts'
import { insertHotPlaces, readInputs, reserveCoins } from './coin-store.ts'
import { insertMakers } from './maker-store.ts'
import { releaseCoins } from './reclaim-store.ts'
import { feesOf, makerHashOf, noChange, nonceOf, type PayoutInput, totalOf } from './shape.ts'

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
  const nonce = nonceOf(entry.intent, entry.payoutId)
  return { from, wallet: entry.anchor, nonce, fees: feesOf(weight, feeMinor) }
}

/**
 * The coins of what is taken over, the anchor first, and where its change went. All attempts that are planned here spend the
 * same coins: where the signer says otherwise, payouts are halted, and what it gives to no other is spoken for as well.
 */
export async function adoptCoins(
  { drafts, network, log }: CoinParts,
  tx: Tx,
  entry: LogEntry,
): Promise<void> {
  assert('psbt' in entry, 'an entry of such a network spends coins')
  const draft = drafts.readPsbt(entry.psbt)
  const change = changeOf(draft)
  await insertHotPlaces(tx, network.name, change === undefined ? [] : [change])
  await insertMakers(tx, network.name, makersOf(draft))
  const { payoutId } = entry
  const inputs = draft.inputs.map(({ outpoint, amountMinor, key }) => ({
    outpoint,
    amountMinor,
    place: placeOf(key),
  }))
  const known = (await readInputs(tx, [payoutId])).get(payoutId) ?? []
  const more = inputs.filter(({ outpoint }) => !known.some((one) => one.outpoint === outpoint))
  if (entry.intent.kind === 'reclaim') {
    const outpoints = inputs.map(({ outpoint }) => outpoint)
    await releaseCoins(tx, network.name, entry.intent.payoutId, outpoints)
  }
  const isReserved = await reserveCoins(tx, [
    { payoutId, network: network.name, inputs: more, before: known.length },
  ])
  assert(isReserved, `a coin of ${payoutId} is another payout's, of which the signer knows nothing`)
  const difference = known.length === 0 ? undefined : differenceOf(known, inputs)
  if (difference === undefined) return
  const detail = `the signer signed other coins of ${network.name} for payout ${payoutId} than are known of it: ${difference}`
  await haltPayouts({ db: tx, log }, 'log-unknown', detail)
}

/** The first coin that only one side has, or has with another amount; undefined where both are the same. */
function differenceOf(known: readonly PayoutInput[], signed: readonly PayoutInput[]): string | undefined {
  const spelled = (inputs: readonly PayoutInput[]) =>
    inputs.map(({ outpoint, amountMinor }) => `${outpoint} of ${amountMinor}`)
  const ours = spelled(known)
  const theirs = spelled(signed)
  return theirs.find((one) => !ours.includes(one)) ?? ours.find((one) => !theirs.includes(one))
}

/** What the signer found to have made the coins. */
function makersOf({ inputs }: CoinDraft): ReadonlyMap<string, string> {
  return new Map(
    inputs.flatMap((input) => (input.maker === undefined ? [] : [[makerHashOf(input), input.maker]])),
  )
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
