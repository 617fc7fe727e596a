/** The real signer core with a folder of its own, in the test's process. */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { NetworkName, UtxoNetwork } from '../../src/chains/networks.ts'
import type { Spend } from '../../src/chains/port.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { systemClock } from '../../src/core/clock.ts'
import { diskFiles } from '../../src/core/durable-file.ts'
import type { Files } from '../../src/core/files.ts'
import { type Policy, sandboxPolicy } from '../../src/signer/authorization/policy.ts'
import { KeyTree, newMnemonic } from '../../src/signer/keys/key-tree.ts'
import { SignerRecords } from '../../src/signer/log/records.ts'
import { SignerCore } from '../../src/signer/signer-core.ts'
import type { Intent, Payment, WalletKeyPath } from '../../src/signing/intent.ts'
import type { OrderVerifier } from '../../src/signing/order-signature.ts'
import type { AccountRequest, SignAnswer, SignRequest } from '../../src/signing/signer-port.ts'
import { approved, type PaymentDraft, testOrderVerifier } from './order-keys.ts'
import { accountsOf, rowOf } from './signer-rows.ts'

export interface TestSigner {
  readonly signer: SignerCore
  readonly keys: KeyTree
  /** The key that makes the MACs of approved payments. */
  readonly intentKey: KeyObject
  readonly logPath: string
  readonly checkpointPath: string
  readonly options: TestSignerOptions
  /** Opens the same signer again, on its log as it is now. */
  reopen(over?: Partial<TestSignerOptions>): Promise<TestSigner>
  close(): Promise<void>
}

export interface TestSignerOptions {
  readonly mnemonic: string
  readonly hotWallets: number
  readonly policy: Policy
  readonly coldAddress: string | undefined
  readonly coldNetwork: NetworkName
  readonly clock: { now(): Date }
  readonly folder: string
  /** The files of the log and of the checkpoint, in the folder; by default those on the disk. */
  readonly files: Files
  readonly intentKey: KeyObject
  /** Verifies the signatures of orders; by default with the tests' key. */
  readonly orders: OrderVerifier
  /** Definitions of networks that replace the regtest networks of the same names. */
  readonly rows: readonly UtxoNetwork[]
  /** Whether the signer serves any identity of a database without being asked to, as in a sandbox. */
  readonly opensDatabaseIdentities: boolean
  /** Whether the signer creates its log if there is none. */
  readonly isNew: boolean
}

/** The chain id of the development chain, anvil's default. */
export const testChainId = 31_337

/** Opens a signer. The caller must close it, or use `useTestSigner` instead. */
export async function openTestSigner(over: Partial<TestSignerOptions> = {}): Promise<TestSigner> {
  const options: TestSignerOptions = {
    mnemonic: newMnemonic(12),
    hotWallets: 4,
    policy: sandboxPolicy,
    coldAddress: undefined,
    coldNetwork: 'ethereum',
    clock: systemClock,
    folder: over.folder ?? (await mkdtemp(join(tmpdir(), 'coffer-signer-'))),
    files: diskFiles,
    intentKey: createSecretKey(randomBytes(32)),
    orders: testOrderVerifier,
    rows: [],
    opensDatabaseIdentities: false,
    isNew: true,
    ...over,
  }
  const keys = new KeyTree(options.mnemonic, options.hotWallets)
  const logPath = join(options.folder, 'signer.log')
  const checkpointPath = join(options.folder, 'checkpoint')
  if (options.isNew) await SignerRecords.create(logPath, checkpointPath, keys.logKey, options.files)
  const { coldAddress, policy, clock, intentKey, opensDatabaseIdentities, orders } = options
  const signer = await SignerCore.open({
    files: options.files,
    accounts: accountsOf(keys, options.rows),
    keys,
    logPath,
    checkpointPath,
    opensDatabaseIdentities,
    policy,
    clock,
    intentKey,
    orders,
    codec: spendCodecs.evm,
    utxoNetworkNamed: rowOf(options.rows),
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

/** Opens a signer that is closed, and whose folder is removed, when the test ends. */
export async function useTestSigner(over: Partial<TestSignerOptions> = {}): Promise<TestSigner> {
  const opened = await openTestSigner(over)
  onTestFinished(() => opened.close())
  return opened
}

let made = 0

/** Returns a payment as ordered and approved: by default one thousandth of a coin to an external address. */
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
  readonly outgoingTransactionId?: string
  readonly from?: WalletKeyPath
  readonly nonce?: number
  readonly chainId?: number
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  readonly gas?: bigint
}

/** Returns a request whose bytes perform `spend` and whose stated intent is `intent`. */
export function askToSign(intent: Intent, spend: Spend, options: AskOptions = {}): AccountRequest {
  const { nonce = 0, chainId = testChainId, from = { type: 'hotWallet', hotWallet: 0 } } = options
  const { gas = 21_000n, maxFeePerGas = 10n ** 10n, maxPriorityFeePerGas = 10n ** 9n } = options
  made += 1
  return {
    outgoingTransactionId: options.outgoingTransactionId ?? `payout-${made}`,
    network: 'ethereum',
    chainId,
    from,
    nonce,
    intent,
    unsigned: spendCodecs.evm.serialize({
      chainId,
      nonce,
      gasLimit: gas,
      maxFeePerGas,
      maxPriorityFeePerGas,
      spend,
    }),
  }
}

/** Returns a request for a payment, whose bytes match the payment. */
export function askToPay(payment: Payment, options: AskOptions = {}): AccountRequest {
  const { contract, address, netMinor } = payment
  const asset = contract === null ? ({ type: 'coin' } as const) : ({ type: 'token', contract } as const)
  return askToSign(
    { kind: 'withdrawal', payments: [payment] },
    { type: 'pay', asset, recipient: address, amountMinor: netMinor },
    options,
  )
}

/** Sends one request, of any content, and returns its answer. */
export async function ask({ signer }: TestSigner, request: unknown): Promise<SignAnswer> {
  const [answer] = await signer.sign([request as SignRequest])
  if (answer === undefined) throw new Error('no answer')
  return answer
}

/** Returns the code of the refusal, or `signed`. */
export function codeOf(answer: SignAnswer): string {
  return answer.type === 'refused' ? answer.code : 'signed'
}
