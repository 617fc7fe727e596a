/** Payouts where senders count their transactions: EVM. */
import type { TakenPlace, TransferAsset } from '../../chains/port.ts'
import { assert } from '../../core/assert.ts'
import { min } from '../../core/money.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { LogEntry, SignRequest } from '../../signing/signer-port.ts'
import type { PayoutParts } from '../engine/machine.ts'
import type { MachineMemory } from '../engine/machine-memory.ts'
import type { Fees } from '../engine/payout.ts'
import { deleteRefusedShifts } from '../engine/retries/refusal-store.ts'
import { feeMaxMinor } from '../engine/signer-client/attested-limits.ts'
import type { NewPayout, StoredPayout } from '../engine/store.ts'
import type { ExpectedTransfer } from '../engine/unmoved/expected-transfers.ts'
import type { PayoutWay, SentFrom } from '../engine/way.ts'
import { type AccountParts, ownPlaces, walletOf } from './account-parts.ts'
import { attestLanes } from './attest-lanes.ts'
import { readSignedFrom, requireOwnSpend } from './check-signed.ts'
import { fillGap, isFiller } from './fill-gap.ts'
import { placePayouts } from './place-payouts.ts'
import { bumped, priceFor, pricePolicy } from './price-gas.ts'
import { recoverAccounts } from './recovery/recover-accounts.ts'
import { spendOf } from './spend-of.ts'

/** The outgoing machine of such a chain. */
export function overAccounts(parts: AccountParts): PayoutParts {
  return { ...parts, way: accountsWay(parts) }
}

function accountsWay(parts: AccountParts): PayoutWay {
  return {
    attest: (memory) => attestLanes(parts, memory),
    place: (memory, proposals, signal) => placePayouts(parts, memory, proposals, signal),
    reserve: (tx, planned) => replaceShifts(parts, tx, planned),
    requestsFor: async (memory, payouts) => payouts.map((payout) => requestFor(parts, memory, payout)),
    readSigned: (memory, request, raw) => readSignedFrom(parts, memory, request, raw),
    requireOwnEntry: (memory, entry) => requireOwnSpend(parts, memory, entry),
    readEntry: (memory, entry) => readEntry(parts, memory, entry),
    findInTheWay: async () => [],
    adopt: async () => {},
    readReceipts: (txHashes, signal) => parts.sender.readReceipts(txHashes, signal),
    expectedTransfers: (payout) => transfersOf(parts, payout),
    // What lanes sent that nobody here knows is found by comparing their nonces (recovery/compare-nonces.ts).
    inspect: async () => {},
    findTaken: (payouts, height, signal) => findTaken(parts, payouts, height, signal),
    firstOf,
    raise: (memory, payouts, signal) => raise(parts, memory, payouts, signal),
    readPrice: (signal) => readPrice(parts, signal),
    gaveBack: (memory, tx, payout) => fillGap(parts, memory, tx, payout),
    partsOf: (refused) => [refused],
    isFiller,
    recovery: recoverAccounts(parts),
  }
}

/** Its place in the order and what its wallet lacks are all that one needs; a new shift takes the place of a refused one. */
async function replaceShifts({ network }: AccountParts, tx: Tx, planned: readonly NewPayout[]) {
  const shifts = planned.filter(({ intent }) => intent.kind === 'rebalance')
  const assets = shifts.flatMap(({ spends }) => spends?.asset ?? [])
  if (assets.length > 0) await deleteRefusedShifts(tx, network.name, assets)
}

function requestFor(parts: AccountParts, memory: MachineMemory, payout: StoredPayout): SignRequest {
  const { codec, network } = parts
  const { id: payoutId, from, nonce, intent, fees } = payout
  const { chainId } = network
  const spend = spendOf(intent, ownPlaces(parts, memory))
  const unsigned = codec.serialize({ chainId, nonce, ...fees, spend })
  return { payoutId, network: network.name, chainId, from, nonce, intent, unsigned }
}

function readEntry(parts: AccountParts, memory: MachineMemory, entry: LogEntry): SentFrom {
  assert('unsigned' in entry, 'an entry of such a network is of an account')
  const { from, nonce, unsigned } = entry
  return { from, wallet: walletOf(parts, memory, from), nonce, fees: feesIn(parts, unsigned) }
}

function feesIn({ codec }: AccountParts, unsigned: string): Fees {
  const { gas, maxFeeMinor, tipMinor } = codec.parse(unsigned)
  return { gas, maxFeeMinor, tipMinor }
}

/** Of what leaves for others; moves among our own addresses are read when they are booked, or change no books. */
function transfersOf(
  { coldAddress }: AccountParts,
  { intent, wallet }: StoredPayout,
): readonly ExpectedTransfer[] {
  switch (intent.kind) {
    case 'withdrawal':
      return intent.payments.map(({ contract, address, netMinor }) => ({
        asset: transferAssetOf(contract),
        sender: wallet,
        recipient: address,
        amountMinor: netMinor,
      }))
    case 'take_out':
      return [
        {
          asset: transferAssetOf(intent.contract),
          sender: wallet,
          // Where it is not set any more, nothing is believed, and an operator decides.
          recipient: coldAddress ?? '',
          amountMinor: intent.amountMinor,
        },
      ]
    default:
      return []
  }
}

function transferAssetOf(contract: string | null): TransferAsset {
  return contract === null ? { type: 'coin' } : { type: 'token', contract }
}

/** Only those are looked for one by one whose sender has sent as many. */
async function findTaken(
  { sender }: AccountParts,
  payouts: readonly StoredPayout[],
  height: number,
  signal: AbortSignal,
): Promise<readonly (TakenPlace | undefined)[]> {
  const wallets = [...new Set(payouts.map(({ wallet }) => wallet))]
  const counts = await sender.readNonces(wallets, height, signal)
  const used = new Map(wallets.map((wallet, index) => [wallet, counts[index] ?? 0]))
  return Promise.all(
    payouts.map(async ({ wallet, nonce }) =>
      nonce < (used.get(wallet) ?? 0) ? sender.findTaken(wallet, nonce, height, signal) : undefined,
    ),
  )
}

/** The first of each wallet: the others wait for it. */
function firstOf(payouts: readonly StoredPayout[]): readonly StoredPayout[] {
  const first = new Map<string, StoredPayout>()
  for (const payout of payouts) {
    const before = first.get(payout.wallet)
    if (before === undefined || payout.nonce < before.nonce) first.set(payout.wallet, payout)
  }
  return [...first.values()]
}

/** Never above what the signer allows for one transaction. */
async function raise(
  { network, sender, policy = pricePolicy }: AccountParts,
  { limits }: MachineMemory,
  payouts: readonly StoredPayout[],
  signal: AbortSignal,
): Promise<readonly (Fees | undefined)[]> {
  const level = await sender.readFees(signal)
  const mostMinor = feeMaxMinor(limits, network.name)
  return payouts.map(({ fees, feeLimitMinor }) => {
    const perGasMinor = mostMinor === undefined ? policy.maxFeeMinorMax : mostMinor / fees.gas
    const within = { ...policy, maxFeeMinorMax: min(policy.maxFeeMinorMax, perGasMinor) }
    return bumped(fees, level, within, feeLimitMinor)
  })
}

async function readPrice(
  { sender, policy = pricePolicy }: AccountParts,
  signal: AbortSignal,
): Promise<bigint | undefined> {
  return priceFor(await sender.readFees(signal), policy)?.maxFeeMinor
}
