/** Payouts where money lies in coins: the UTXO family. */
import type { CoinDraft } from '../../chains/utxo/coin-port.ts'
import { assert, required } from '../../core/assert.ts'
import type { CoinRequest, LogEntry } from '../../signing/signer-port.ts'
import type { PayoutParts } from '../engine/machine.ts'
import type { MachineMemory } from '../engine/machine-memory.ts'
import type { StoredPayout } from '../engine/store.ts'
import type { PayoutWay } from '../engine/way.ts'
import { adoptCoins, readCoinEntry } from './adopt-coins.ts'
import { attestHot } from './attest-hot.ts'
import { readSignedPsbt, requireOwnDraft } from './check-signed.ts'
import { halvesOf } from './choose-coins.ts'
import { type CoinParts, hotAddress, keyOf, xpubsOf } from './coin-parts.ts'
import { consolidatePurpose, liftPurpose, reclaimPurpose } from './coin-purposes.ts'
import { findPlannedOn, readInputs } from './coin-store.ts'
import { findTaken } from './find-taken.ts'
import { inspectCoins } from './inspect-coins.ts'
import { keepMakers } from './keep-makers.ts'
import { readMakers } from './maker-store.ts'
import { planCoins } from './plan-coins.ts'
import { raiseFees } from './raise-fees.ts'
import { recoverCoins } from './recovery/recover-coins.ts'
import { keepCoins } from './reserve-coins.ts'
import { feeOf } from './select-coins.ts'
import { anchorOf, isChange, makerHashOf, type PayoutInput, shapeOf } from './shape.ts'
import { readOwnReceipts } from './spent-store.ts'
import { watchAhead } from './watch-ahead.ts'

/**
 * The outgoing machine of such a chain, which also keeps its coins: what is stuck is lifted where nodes replace nothing,
 * before anything else is sent, and many coins become few after all else.
 */
export function overCoins(parts: CoinParts): PayoutParts {
  const { canReplace, dustMinor, usualFeeRate } = parts.network.chain
  const lifting = canReplace ? [] : [liftPurpose]
  const inputMinor = feeOf(parts.drafts.inputWeight, usualFeeRate)
  const reclaiming = reclaimPurpose(dustMinor + 2n * inputMinor)
  // It is done at half of what is usual at most, where a coin of as much as spending it usually costs is worth it.
  const consolidating = consolidatePurpose(parts, inputMinor)
  const purposes = [...lifting, ...parts.purposes, reclaiming, consolidating]
  return { ...parts, purposes, way: coinsWay(parts) }
}

function coinsWay(parts: CoinParts): PayoutWay {
  const { db, network } = parts
  return {
    attest: (memory) => attestHot(parts, memory),
    place: (memory, proposals, signal) => planCoins(parts, memory, proposals, signal),
    reserve: (tx, planned) => keepCoins(parts, tx, planned),
    requestsFor: (memory, payouts) => requestsFor(parts, memory, payouts),
    readSigned: (_, request, raw) => readSignedPsbt(parts, request, raw),
    requireOwnEntry: (memory, entry) => requireOwnDraft(parts, memory, entry),
    readEntry: (_, entry) => readCoinEntry(parts, entry),
    findInTheWay: (tx, entry) => findPlannedOn(tx, network.name, entry.payoutId, outpointsOf(parts, entry)),
    adopt: (_, tx, entry) => adoptCoins(parts, tx, entry),
    readReceipts: async (txHashes) => {
      const receipts = await readOwnReceipts(db, network.name, txHashes)
      return txHashes.map((txHash) => receipts.get(txHash))
    },
    expectedTransfers: () => [],
    inspect: async (memory, signal) => {
      await inspectCoins(parts, memory)
      await watchAhead(parts, memory)
      await keepMakers(parts, memory, signal)
    },
    findTaken: (payouts, height, signal) => findTaken(parts, payouts, height, signal),
    firstOf: (payouts) => firstOf(parts, payouts),
    raise: (_, payouts, signal) => raiseFees(parts, payouts, signal),
    partsOf: halvesOf,
    // Its coins are given back with its row, and nothing waits for its place.
    gaveBack: async () => {},
    isFiller: () => false,
    recovery: recoverCoins(parts),
  }
}

async function requestsFor(
  parts: CoinParts,
  memory: MachineMemory,
  payouts: readonly StoredPayout[],
): Promise<readonly CoinRequest[]> {
  const inputs = await readInputs(
    parts.db,
    payouts.map(({ id }) => id),
  )
  const makers = await readNeededMakers(parts, [...inputs.values()].flat())
  return payouts.map((payout) => {
    const own = required(inputs.get(payout.id), 'the coins of a payout')
    const { id: payoutId, network, intent } = payout
    const draft = draftOf(parts, memory, payout, { inputs: own, makers })
    const psbt = parts.drafts.toPsbt(draft, xpubsOf(parts, memory))
    return { payoutId, network, intent, anchor: anchorOf(own), psbt }
  })
}

type Makers = ReadonlyMap<string, string>

async function readNeededMakers(
  { db, network, drafts }: CoinParts,
  inputs: readonly PayoutInput[],
): Promise<Makers> {
  if (!drafts.needsMakers) return new Map()
  return readMakers(db, network.name, [...new Set(inputs.map(makerHashOf))])
}

function draftOf(
  parts: CoinParts,
  memory: MachineMemory,
  payout: StoredPayout,
  { inputs, makers }: { readonly inputs: readonly PayoutInput[]; readonly makers: Makers },
): CoinDraft {
  const { paid, change } = shapeOf(payout, inputs)
  const back = change && {
    address: hotAddress(parts, memory, change.place),
    amountMinor: change.amountMinor,
    key: keyOf(change.place),
  }
  return {
    inputs: inputs.map((input) => {
      const { outpoint, amountMinor, place } = input
      const maker = makers.get(makerHashOf(input))
      return { outpoint, amountMinor, key: keyOf(place), ...(maker !== undefined && { maker }) }
    }),
    outputs: [
      ...paid.map(({ address = parts.coldAddress, amountMinor }) => ({
        address: required(address, 'a cold address'),
        amountMinor,
        key: undefined,
      })),
      ...(back === undefined ? [] : [back]),
    ],
  }
}

function outpointsOf({ drafts }: CoinParts, entry: LogEntry): readonly string[] {
  assert('psbt' in entry, 'an entry of such a network spends coins')
  return drafts.readPsbt(entry.psbt).inputs.map(({ outpoint }) => outpoint)
}

/**
 * None waits for another, other than a lift, which is mined with what it lifts. Where nodes replace nothing, what has change
 * is lifted by it.
 */
function firstOf({ network }: CoinParts, payouts: readonly StoredPayout[]): readonly StoredPayout[] {
  return payouts.filter(({ from }) => network.chain.canReplace || !isChange(from))
}
