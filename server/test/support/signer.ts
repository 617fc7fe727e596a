/** The real signer core in a folder of its own, as its process would run it, without the process. */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { NetworkName, UtxoNetwork } from '../../src/chains/networks.ts'
import type { Spend } from '../../src/chains/port.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { systemClock } from '../../src/core/clock.ts'
import { type Policy, sandboxPolicy } from '../../src/signer/judging/policy.ts'
import { KeyTree, newMnemonic } from '../../src/signer/keys/key-tree.ts'
import { SignerRecords } from '../../src/signer/log/records.ts'
import { SignerCore } from '../../src/signer/signer-core.ts'
import type { Intent, Payment, WalletPlace } from '../../src/signing/intent.ts'
import type { OrderVerifier } from '../../src/signing/order-signature.ts'
import type { AccountRequest, SignAnswer, SignRequest } from '../../src/signing/signer-port.ts'
import { approved, type PaymentDraft, testOrderVerifier } from './order-keys.ts'
import { accountsOf, rowOf } from './signer-rows.ts'

export interface TestSigner {
  readonly signer: SignerCore
  readonly keys: KeyTree
  /** Makes the MACs of approved payments. */
  readonly intentKey: KeyObject
  readonly logPath: string
  readonly checkpointPath: string
  readonly options: TestSignerOptions
  /** Another life of the same signer, on the log as it lies there. */
  reopen(over?: Partial<TestSignerOptions>): Promise<TestSigner>
  close(): Promise<void>
}

export interface TestSignerOptions {
  readonly mnemonic: string
  readonly lanes: number
  readonly policy: Policy
  readonly coldAddress: string | undefined
  readonly coldNetwork: NetworkName
  readonly clock: { now(): Date }
  readonly folder: string
  readonly intentKey: KeyObject
  /** Checks the signatures of orders; by the key of tests unless told otherwise. */
  readonly orders: OrderVerifier
  /** Rows in place of the regtest ones. */
  readonly rows: readonly UtxoNetwork[]
  /** Whether it opens any life of a database by itself, as in a sandbox. */
  readonly opensIncarnations: boolean
  /** Makes its log where there is none. */
  readonly isNew: boolean
}

/** Of the development chain, as anvil has it. */
export const testChainId = 31_337

/** Close it, or use `useTestSigner`. */
export async function openTestSigner(over: Partial<TestSignerOptions> = {}): Promise<TestSigner> {
  const options: TestSignerOptions = {
    mnemonic: newMnemonic(12),
    lanes: 4,
    policy: sandboxPolicy,
    coldAddress: undefined,
    coldNetwork: 'ethereum',
    clock: systemClock,
    folder: over.folder ?? (await mkdtemp(join(tmpdir(), 'coffer-signer-'))),
    intentKey: createSecretKey(randomBytes(32)),
    orders: testOrderVerifier,
    rows: [],
    opensIncarnations: false,
    isNew: true,
    ...over,
  }
  const keys = new KeyTree(options.mnemonic, options.lanes)
  const logPath = join(options.folder, 'signer.log')
  const checkpointPath = join(options.folder, 'checkpoint')
  if (options.isNew) await SignerRecords.create(logPath, checkpointPath, keys.logKey)
  const { coldAddress, policy, clock, intentKey, opensIncarnations, orders } = options
  const signer = await SignerCore.open({
    accounts: accountsOf(keys, options.rows),
    keys,
    logPath,
    checkpointPath,
    opensIncarnations,
    policy,
    clock,
    intentKey,
    orders,
    codec: spendCodecs.evm,
    coinNetwork: rowOf(options.rows),
    coldAddresses: new Map(coldAddress === undefined ? [] : [[options.coldNetwork, coldAddress]]),
  })
  let later: TestSigner | undefined
  return {
    signer,
    keys,
    intentKey,
    logPath,
    checkpointPath,
    options,
    reopen: async (more = {}) => {
      await signer.close()
      later = await openTestSigner({ ...options, isNew: false, ...more })
      return later
    },
    close: async () => {
      if (later === undefined) await signer.close().catch(() => {})
      else await later.close()
      await rm(options.folder, { recursive: true, force: true })
    },
  }
}

/** Closed, and its folder removed, when the test ends. */
export async function useTestSigner(over: Partial<TestSignerOptions> = {}): Promise<TestSigner> {
  const opened = await openTestSigner(over)
  onTestFinished(() => opened.close())
  return opened
}

let made = 0

/** A payment as it is ordered and approved: one thousandth of a coin to somebody outside, unless said otherwise. */
export function approvedPayment(intentKey: KeyObject, over: Partial<PaymentDraft> = {}): Payment {
  made += 1
  return approved(intentKey, 'ethereum', {
    withdrawalId: `withdrawal-${made}`,
    merchantId: 'merchant',
    asset: 'ethereum/ETH',
    contract: null,
    address: '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
    netMinor: 10n ** 15n,
    feeMinor: 0n,
    ...over,
  })
}

export interface AskOptions {
  readonly payoutId?: string
  readonly from?: WalletPlace
  readonly nonce?: number
  readonly chainId?: number
  readonly maxFeeMinor?: bigint
  readonly tipMinor?: bigint
  readonly gas?: bigint
}

/** A request whose bytes do `spend`, said to be for `intent`. */
export function askToSign(intent: Intent, spend: Spend, options: AskOptions = {}): AccountRequest {
  const { nonce = 0, chainId = testChainId, from = { type: 'lane', lane: 0 } } = options
  const { gas = 21_000n, maxFeeMinor = 10n ** 10n, tipMinor = 10n ** 9n } = options
  made += 1
  return {
    payoutId: options.payoutId ?? `payout-${made}`,
    network: 'ethereum',
    chainId,
    from,
    nonce,
    intent,
    unsigned: spendCodecs.evm.serialize({ chainId, nonce, gas, maxFeeMinor, tipMinor, spend }),
  }
}

/** A request for a payment, whose bytes are as the payment says. */
export function askToPay(payment: Payment, options: AskOptions = {}): AccountRequest {
  const { contract, address, netMinor } = payment
  const asset = contract === null ? ({ type: 'coin' } as const) : ({ type: 'token', contract } as const)
  return askToSign(
    { kind: 'withdrawal', payments: [payment] },
    { type: 'pay', asset, recipient: address, amountMinor: netMinor },
    options,
  )
}

/** One request, whatever it holds, and its answer. */
export async function ask({ signer }: TestSigner, request: unknown): Promise<SignAnswer> {
  const [answer] = await signer.sign([request as SignRequest])
  if (answer === undefined) throw new Error('no answer')
  return answer
}

/** Why it was refused, or that it was signed. */
export function codeOf(answer: SignAnswer): string {
  return answer.type === 'refused' ? answer.code : 'signed'
}
