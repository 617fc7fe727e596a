/**
 * Authorises transactions that spend UTXOs. Every input must belong to a key that is derived here from its
 * path. Every output must pay an approved payment or the cold address, or belong to a key derived here. The
 * fee must be within the operator's limits.
 */
import type { KeyObject } from 'node:crypto'
import type { UtxoNetwork } from '../../chains/networks.ts'
import { utxoCodecOf } from '../../chains/spend-codecs.ts'
import { PsbtError, type SpendOutput, type UtxoCodec, type UtxoSpend } from '../../chains/utxo/utxo-port.ts'
import { required } from '../../core/assert.ts'
import type { OrderVerifier } from '../../signing/order-signature.ts'
import type { UtxoRequest } from '../../signing/signer-port.ts'
import type { KeyTree } from '../keys/key-tree.ts'
import { ownKeyAt } from '../keys/own-key.ts'
import type { AuthorizedRequest } from './authorize.ts'
import { intendedOutputs } from './intended-outputs.ts'
import { type Fee, feeOf, KnownOutputs } from './known-outputs.ts'
import { feeCharge, feeError, outflowCharges, type Policy } from './policy.ts'
import { Refusal } from './refusal.ts'

export interface UtxoAuthorizerParts {
  readonly keys: KeyTree
  readonly policy: Policy
  readonly intentKey: KeyObject
  /** Verifies the signatures of orders. */
  readonly orders: OrderVerifier
  /** The operator's cold addresses by network, in canonical form. */
  readonly coldAddresses: ReadonlyMap<string, string>
  /** Returns a UTXO network by name; undefined if the signer has no keys for it. */
  readonly utxoNetworkNamed: (name: string) => UtxoNetwork | undefined
}

/**
 * Maximum number of outputs to ourselves. An attacker's request with many outputs could split our money into
 * dust, or spread it over change addresses that Coffer does not watch.
 */
const ownOutputsMax = 4

export class UtxoAuthorizer {
  readonly #parts: UtxoAuthorizerParts
  readonly #known = new KnownOutputs()

  constructor(parts: UtxoAuthorizerParts) {
    this.#parts = parts
  }

  /**
   * Prepares the checks of a transaction that spends UTXOs.
   * @throws Refusal if the network has no UTXOs or the PSBT cannot be read.
   * @throws Refusal if the transaction does not spend the pinned outpoint, or spends a UTXO twice.
   */
  authorize(request: UtxoRequest): AuthorizedRequest {
    const { network, outgoingTransactionId, pinnedOutpoint } = request
    const row = this.#parts.utxoNetworkNamed(network)
    if (row === undefined) throw new Refusal('not-allowed', `The signer has no UTXO network named ${network}`)
    const codec = utxoCodecOf(row)
    const spend = readOrRefuse(() => codec.parse(request.psbt))
    // Private keys by public key. A key is added when an input is found to belong to it. The keys are kept
    // for signing, because deriving them takes longer than all other checks together.
    const keys = new Map<string, Uint8Array>()
    return {
      takes: takesOf(pinnedOutpoint, spend),
      require: () => {
        for (const [publicKey, key] of this.#keysOf(row, codec, spend)) keys.set(publicKey, key)
        this.#require(request, row, codec, spend)
      },
      charges: (isRepeated) => this.#charges(request, spend, isRepeated),
      sign: async () =>
        readOrRefuse(() => codec.sign(request.psbt, (publicKey) => required(keys.get(publicKey), 'key'))),
      remember: (txHash) => this.#known.add(network, outgoingTransactionId, txHash, spend),
    }
  }

  /**
   * Derives the key of every input.
   * @throws Refusal if a UTXO does not belong to the key at the path that the PSBT states for it.
   */
  #keysOf({ chain }: UtxoNetwork, codec: UtxoCodec, { inputs }: UtxoSpend) {
    return inputs.map(({ outpoint, script, ...claimed }) => {
      const own = ownKeyAt(this.#parts.keys, chain, claimed)
      if (own === undefined || codec.scriptOfKey(own.publicKey) !== script)
        throw new Refusal(
          'not-as-intended',
          `The UTXO ${outpoint} does not belong to the key that is stated for it`,
        )
      return [own.publicKey, own.privateKey] as const
    })
  }

  #require(request: UtxoRequest, row: UtxoNetwork, codec: UtxoCodec, spend: UtxoSpend): void {
    const { policy } = this.#parts
    this.#known.requireAmounts(request.network, spend.inputs)
    const intended = intendedOutputs(this.#parts, row, codec, request.intent)
    requireOutputs(intended, spend.outputs)
    this.#requireOwnOutputs(row, codec, spend.outputs)
    const fee = feeOf(spend)
    if (fee.feeMinor < 0n) throw new Refusal('not-as-intended', 'The outputs are worth more than the inputs')
    const error = feeError(policy, row, this.#withParent(request, fee))
    if (error !== undefined) throw new Refusal('over-limit', error)
  }

  /**
   * Returns the fee to check. A CPFP transaction also pays for its parent, so the fees and sizes of both are
   * added.
   * @throws Refusal if the pinned outpoint is not an output of the parent to one of our own addresses.
   */
  #withParent({ network, intent, pinnedOutpoint }: UtxoRequest, fee: Fee): Fee {
    if (intent.kind !== 'cpfp') return fee
    const parent = this.#known.parentOf(network, pinnedOutpoint, intent.outgoingTransactionId)
    if (parent === undefined)
      throw new Refusal(
        'not-as-intended',
        `The UTXO ${pinnedOutpoint} is not change of transaction ${intent.outgoingTransactionId}`,
      )
    return {
      feeMinor: fee.feeMinor + parent.feeMinor,
      vbytes: fee.vbytes + parent.vbytes,
      inputsMinor: fee.inputsMinor + parent.inputsMinor,
    }
  }

  /**
   * Checks the outputs to ourselves. Each must go to a key on the hot wallet's change branch, which is
   * derived here, and must not be dust.
   */
  #requireOwnOutputs(row: UtxoNetwork, codec: UtxoCodec, outputs: readonly SpendOutput[]): void {
    const own = outputs.filter(({ key }) => key !== undefined)
    if (own.length > ownOutputsMax)
      throw new Refusal('not-as-intended', `The transaction has more than ${ownOutputsMax} change outputs`)
    for (const { key, script, amountMinor } of own) {
      const found = key === undefined ? undefined : ownKeyAt(this.#parts.keys, row.chain, key)
      const isChange = found?.keyPath.type === 'hot' && found.keyPath.branch === 1
      if (!isChange || codec.scriptOfKey(found.publicKey) !== script)
        throw new Refusal(
          'not-as-intended',
          'A change output does not belong to the key that is stated for it',
        )
      if (amountMinor < row.chain.dustMinor)
        throw new Refusal('not-as-intended', 'A change output is below the dust limit')
    }
  }

  #charges(
    request: UtxoRequest,
    spend: UtxoSpend,
    isRepeated: boolean,
  ): ReturnType<AuthorizedRequest['charges']> {
    const { policy } = this.#parts
    const fee = feeCharge(policy, request, feeOf(spend).feeMinor)
    return isRepeated ? [fee] : [fee, ...outflowCharges(policy, request)]
  }
}

/**
 * Calls a function that reads or signs a PSBT.
 * @throws Refusal for any error. Only the messages of PsbtError are passed on, because other messages are
 * about untrusted bytes.
 */
function readOrRefuse<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Refusal) throw error
    const detail = error instanceof PsbtError ? error.message : 'The PSBT cannot be signed'
    throw new Refusal('not-as-intended', detail)
  }
}

/** Returns the UTXOs that the transaction spends, with the pinned outpoint first. */
function takesOf(pinnedOutpoint: string, { inputs }: UtxoSpend): AuthorizedRequest['takes'] {
  const outpoints = inputs.map(({ outpoint }) => outpoint)
  if (!outpoints.includes(pinnedOutpoint))
    throw new Refusal(
      'not-as-intended',
      `The transaction does not spend its pinned outpoint ${pinnedOutpoint}`,
    )
  if (new Set(outpoints).size < outpoints.length)
    throw new Refusal('not-as-intended', 'The transaction spends a UTXO twice')
  const others = outpoints.filter((outpoint) => outpoint !== pinnedOutpoint)
  return [`UTXO ${pinnedOutpoint}`, ...others.map((outpoint) => `UTXO ${outpoint}`)]
}

/** Checks that the outputs to others are exactly the intended outputs, each exactly once. */
function requireOutputs(
  intended: readonly Pick<SpendOutput, 'script' | 'amountMinor'>[],
  outputs: readonly SpendOutput[],
): void {
  const keyOf = ({ script, amountMinor }: Pick<SpendOutput, 'script' | 'amountMinor'>) =>
    `${script} ${amountMinor}`
  const given = outputs.filter(({ key }) => key === undefined).map(keyOf)
  const wanted = intended.map(keyOf)
  if (given.toSorted().join() === wanted.toSorted().join()) return
  throw new Refusal('not-as-intended', 'The outputs differ from the intent')
}
