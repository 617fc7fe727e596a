/** Plans outgoing transactions on EVM chains: wallets, gas estimates, fees and nonces. */

import { readCursor } from '../../chains/blocks/store.ts'
import type { EvmFees, FeeLevel } from '../../chains/port.ts'
import { required } from '../../core/assert.ts'
import { newId } from '../../core/ids.ts'
import { limits } from '../../core/limits.ts'
import { nodesHint } from '../engine/controls/nodes-hint.ts'
import { queuesAt } from '../engine/controls/payment-queues.ts'
import { coveredCount, readFreeCapital } from '../engine/controls/read-capital.ts'
import type { EngineMemory } from '../engine/engine-memory.ts'
import { coinOf, haltUnderLease, raiseAlert } from '../engine/engine-parts.ts'
import type { Proposal } from '../engine/outgoing-source.ts'
import { maxCostMinor } from '../engine/outgoing-transaction.ts'
import type { PlanningOutcome, RefusedProposal, Wait } from '../engine/plan-outcome.ts'
import { feeMaxMinor } from '../engine/signer-client/attested-limits.ts'
import type { NewOutgoingTransaction } from '../engine/store.ts'
import { type AccountParts, gasRulesOf, ownAddressBook, priceBoundsOf } from './account-parts.ts'
import { chooseWallets, nextNonces, type Rebalance, type WalletChoice } from './choose-wallets.ts'
import {
  apartByCost,
  dataFeeUncounted,
  fitToLimits,
  isDataFeeUncounted,
  partDear,
  tooDear,
} from './fit-limits.ts'
import { countedDataMinor, readDataFeesMax } from './op-stack-fees.ts'
import { type GasOffer, gasFor, leastPrice, priceFor } from './price-gas.ts'
import { readWallets } from './read-wallets.ts'
import { spendOf } from './spend-of.ts'
import type { PriceRange } from './split-sweeps.ts'
import { hasOpenRebalance, readTakenNonces } from './wallet-store.ts'
import { type Estimated, type Priced, weighCosts } from './weigh-costs.ts'

/**
 * Assigns each proposal a wallet that can send it, a nonce and fees. Stores no outgoing transaction.
 * @throws NodeError if a node does not answer
 */
export async function prepareOutgoing(
  parts: AccountParts,
  memory: EngineMemory,
  proposals: readonly Proposal[],
  signal: AbortSignal,
): Promise<PlanningOutcome> {
  const level = await parts.sender.readFees(signal)
  const price = priceFor(level, priceBoundsOf(parts), parts.network.feeModel)
  if (price === undefined) return { planned: [], refused: [], waits: [dear(parts, level)] }
  const cursor = required(await readCursor(parts.db, parts.network.name), 'the cursor')
  const range = { wantedMinor: price.maxFeePerGas, leastMinor: leastPrice(level, price) }
  const fitting = fitToLimits(parts, memory, proposals, range)
  const wallets = await readWallets(parts, memory, fitting.proposals, cursor.height, signal)
  const inFlightMax = parts.inFlightMax ?? limits.outgoingPerHotWallet
  const mostMinor = feeMaxMinor(memory.limits, parts.network.name)
  const queues = queuesAt(memory.queues, cursor.hash, limits.reservedRounds)
  const dataFeesMinor = await readDataFeesMax(parts, memory, fitting.proposals, price, signal)
  const bounds = { inFlightMax, dataFeesMinor, gasRules: gasRulesOf(parts), feeMaxMinor: mostMinor }
  const choices = chooseWallets({ coin: coinOf(parts), wallets, price, queues, ...bounds }, fitting.proposals)
  const { chosen, waits, rebalances } = choices
  memory.queues = choices.queues
  const rebalancing = await withDataFees(
    parts,
    memory,
    await rebalancesToPlan(parts, rebalances),
    price,
    signal,
  )
  const estimated = await estimateWithin(
    parts,
    memory,
    { choices: [...rebalancing, ...chosen], price, range, mostMinor },
    signal,
  )
  const { tooDearCount, uncountedCount } = estimated
  const { priced, refused, kept } = await weighCosts(parts, memory, estimated, signal)
  const capital = await readFreeCapital(parts)
  const covered = coveredCount(
    capital,
    priced.map(({ fees }) => maxCostMinor(fees)),
  )
  const uncovered = priced.length > covered ? [lackOfCapital(priced.length - covered, capital)] : []
  const planned = await assignAll(parts, memory, priced.slice(0, covered), signal)
  const dearWaits = tooDearCount > 0 ? [tooDear(tooDearCount, mostMinor)] : []
  if (uncountedCount > 0) dearWaits.push(dataFeeUncounted(uncountedCount))
  return { planned, refused, waits: [...waits, ...fitting.waits, ...dearWaits, ...kept, ...uncovered] }
}

function dear(
  { network }: AccountParts,
  { baseFeePerGas, maxPriorityFeePerGas: priceMinor }: FeeLevel,
): Wait {
  const what =
    network.feeModel === 'legacy' ? `the gas price of ${priceMinor}` : `the base fee of ${baseFeePerGas}`
  return { cause: 'price', detail: `${what} per unit of gas is above the ceiling` }
}

function lackOfCapital(count: number, capital: bigint): Wait {
  const detail = `the operator's own coin, ${capital} free, does not cover the gas of ${count} transactions`
  return { cause: 'capital', detail }
}

/**
 * Returns proposals for possible rebalances. Each asset gets one at most, and none while another rebalance of
 * the asset is open.
 */
async function rebalancesToPlan(
  parts: AccountParts,
  rebalances: readonly Rebalance[],
): Promise<readonly WalletChoice[]> {
  const first = new Map(rebalances.toReversed().map((rebalance) => [rebalance.asset, rebalance]))
  const choices: WalletChoice[] = []
  for (const { asset, contract, from, to, amountMinor } of first.values()) {
    if (to.keyPath.type !== 'hotWallet' || (await hasOpenRebalance(parts.db, parts.network.name, asset)))
      continue
    const { hotWallet } = to.keyPath
    const proposal: Proposal = {
      id: newId(),
      network: parts.network.name,
      intent: { kind: 'rebalance', hotWallet, asset, contract, amountMinor },
      from: from.keyPath,
      spends: { asset, contract, amountMinor },
    }
    choices.push({ proposal, wallet: from, dataFeeMinor: undefined })
  }
  return choices
}

/** Returns the choices with the data fees of their own proposals. */
async function withDataFees(
  parts: AccountParts,
  memory: EngineMemory,
  choices: readonly WalletChoice[],
  price: Omit<EvmFees, 'gasLimit'>,
  signal: AbortSignal,
): Promise<readonly WalletChoice[]> {
  const proposals = choices.map(({ proposal }) => proposal)
  const fees = await readDataFeesMax(parts, memory, proposals, price, signal)
  return choices.map((choice) => ({ ...choice, dataFeeMinor: fees.get(choice.proposal.id) }))
}

/**
 * Estimates gas, and splits sweeps that cost more than the signer allows for one transaction. `tooDearCount`
 * is the number of transactions that cost too much and cannot be split, such as sweeps of one address.
 * `uncountedCount` is the number of those whose data fee is above what the signer counts.
 */
async function estimateWithin(
  parts: AccountParts,
  memory: EngineMemory,
  {
    choices,
    price,
    range,
    mostMinor,
  }: {
    readonly choices: readonly WalletChoice[]
    readonly price: Omit<EvmFees, 'gasLimit'>
    readonly range: PriceRange
    readonly mostMinor: bigint | undefined
  },
  signal: AbortSignal,
): Promise<Estimated & { readonly tooDearCount: number; readonly uncountedCount: number }> {
  const priced: Priced[] = []
  const refused: RefusedProposal[] = []
  let tooDearCount = 0
  let uncountedCount = 0
  for (let left = choices; left.length > 0; ) {
    const estimated = await estimate(parts, memory, left, price, signal)
    const counted = estimated.priced.filter((one) => !isDataFeeUncounted(one))
    uncountedCount += estimated.priced.length - counted.length
    const { fitting, dear: above } = apartByCost(counted, range, mostMinor)
    const { parts: halves, whole } = partDear(above)
    priced.push(...fitting)
    refused.push(...estimated.refused)
    tooDearCount += whole.length
    left = await withDataFees(parts, memory, halves, price, signal)
  }
  return { priced, refused, tooDearCount, uncountedCount }
}

/**
 * Estimates the gas of all transactions in parallel. A transaction that would fail is refused before anything
 * is signed.
 */
async function estimate(
  parts: AccountParts,
  memory: EngineMemory,
  choices: readonly WalletChoice[],
  price: Omit<EvmFees, 'gasLimit'>,
  signal: AbortSignal,
): Promise<Estimated> {
  const own = ownAddressBook(parts, memory)
  const estimates = await Promise.all(
    choices.map(({ proposal, wallet }) =>
      parts.sender.estimateGas(wallet.address, spendOf(proposal.intent, own), signal),
    ),
  )
  const priced: Priced[] = []
  const refused: RefusedProposal[] = []
  for (const [index, choice] of choices.entries()) {
    const { proposal } = choice
    const answer = required(estimates[index], 'an estimate')
    if ('error' in answer) {
      refused.push({ proposal, reason: clipped(answer.error) })
      continue
    }
    const offer = gasFor(proposal, answer.gas, gasRulesOf(parts))
    alertOfGas(parts, memory, choice, answer.gas, offer)
    if (offer.type === 'above') {
      refused.push({ proposal, reason: tooMuchGas(answer.gas, offer.mostGas), isOwnRule: true })
      continue
    }
    const fees = { ...price, gasLimit: offer.gas, dataFeeMinor: choice.dataFeeMinor }
    const countedMinor = countedDataMinor(parts, memory, proposal, fees)
    priced.push({ ...choice, fees, maxFeePerGasLimit: undefined, countedDataMinor: countedMinor })
  }
  return { priced, refused }
}

/**
 * Raises an alert if a gas estimate is absurd. For withdrawals, an estimate above the maximum is not absurd,
 * because the recipient's code decides how much gas the transfer needs.
 */
function alertOfGas(
  parts: AccountParts,
  memory: EngineMemory,
  { proposal }: WalletChoice,
  estimatedGas: bigint,
  offer: GasOffer,
): void {
  const isAbsurd = offer.type === 'above' ? proposal.intent.kind !== 'withdrawal' : offer.isAbsurd
  if (!isAbsurd) return
  const fields = { subject: proposal.id, kind: proposal.intent.kind, estimate: `${estimatedGas}` }
  raiseAlert(parts, memory, 'gas-estimate-absurd', fields, 'a node returned an impossible gas estimate')
}

function tooMuchGas(neededGas: bigint, mostGas: bigint): string {
  return `The payment needs ${neededGas} gas at its destination, and the maximum is ${mostGas}. Order it to another address.`
}

/** Shortens a node's error text: a contract can revert with a message of any length. */
function clipped(error: string): string {
  return error.length <= errorChars ? error : `${error.slice(0, errorChars)}…`
}

const errorChars = 300

/**
 * Assigns a nonce to each transaction. Halts all outgoing transactions if a hot wallet has sent transactions
 * that neither the database nor the signer's log knows.
 */
async function assignAll(
  parts: AccountParts,
  memory: EngineMemory,
  priced: readonly Priced[],
  signal: AbortSignal,
): Promise<readonly NewOutgoingTransaction[]> {
  const { db, network, sender } = parts
  const wallets = [...new Map(priced.map(({ wallet }) => [wallet.address, wallet])).values()]
  const addresses = wallets.map(({ address }) => address)
  const counts = addresses.length === 0 ? [] : await sender.readNonces(addresses, undefined, signal)
  const planned: NewOutgoingTransaction[] = []
  for (const [index, { address, keyPath, nonceEnd }] of wallets.entries()) {
    const mined = counts[index] ?? 0
    if (keyPath.type === 'hotWallet' && mined > nonceEnd) {
      const detail = `${address} has sent ${mined} transactions, but the database and the signer's log know only ${nonceEnd}${nodesHint(network.name)}`
      await haltUnderLease(parts, memory, 'log-unknown', detail)
      return []
    }
    const own = priced.filter(({ wallet }) => wallet.address === address)
    const nonces = nextNonces(mined, await readTakenNonces(db, network.name, address, mined), own.length)
    for (const [offset, { proposal, fees, maxFeePerGasLimit }] of own.entries()) {
      const { id, intent, spends } = proposal
      const nonce = required(nonces[offset], 'a nonce')
      const slot = { sender: keyPath, wallet: address, nonce }
      const terms = { family: 'evm', slot, fees, maxFeePerGasLimit } as const
      planned.push({ id, network: network.name, intent, spends, ...terms })
    }
  }
  memory.followed = undefined
  return planned
}
