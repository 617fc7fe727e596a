/** A signer as production has it: a process of its own, under a user of its own. The tests must run as root. */
import { chmod, chown, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { networks } from '../../src/chains/networks.ts'
import { mainPaymentMethods } from '../../src/pricing/payment-methods/catalogue.ts'
import { type CofferProcess, runCoffer, spawnCoffer, stub } from './coffer-process.ts'

/** The user that has the signer's keys. */
export const signersId = 65534
const asSigner = {
  command: [
    'setpriv',
    '--reuid',
    `${signersId}`,
    '--regid',
    `${signersId}`,
    '--clear-groups',
    process.execPath,
    stub,
  ],
}

/** What the policy of a signer says about networks and assets. */
export interface SignerPolicy {
  readonly networks: Readonly<Record<string, object>>
  readonly assets: readonly object[]
}

export interface ProductionSigner {
  readonly signer: CofferProcess
  readonly socket: string
  readonly xpub: string
  readonly intentKey: string
  readonly orderPublicKeys: string
  /** Adds to the policy as its operator does, and lets the signer read it again. */
  extendPolicy(more: SignerPolicy): Promise<void>
}

/** Amounts that no test reaches. */
const many = (10n ** 21n).toString()
export const manyOfAsset = { perTransactionMinor: many, per24HoursMinor: many, totalMinor: many }
export const manyFees = {
  feePerTransactionMinor: (10n ** 17n).toString(),
  feesPer24HoursMinor: many,
  topUpsPer24HoursMinor: many,
}

/** Lets another user create and hold the signer's keys, in folders that nobody else can enter. */
export async function makeSigner(folder: string, orderKey: string): Promise<ProductionSigner> {
  const at = (name: string) => join(folder, name)
  await chown(folder, signersId, signersId)
  await chmod(folder, 0o750)
  const files = [
    '--keystore',
    at('keystore.json'),
    '--passphrase-file',
    at('passphrase'),
    '--intent-key',
    at('intent.key'),
    '--log',
    at('signed.log'),
    '--checkpoint',
    at('checkpoint'),
  ]
  const made = await runCoffer(['keys', 'init', ...files, '--print-words'], {}, asSigner)
  expect(made.code, made.stderr).toBe(0)
  const methods = mainPaymentMethods().filter(({ network }) => network === 'ethereum')
  const assets = methods.map(({ network, symbol, contract = null, decimals }) => ({
    network,
    symbol,
    contract,
    decimals,
    ...manyOfAsset,
  }))
  const ethereum = { chainId: 1, coin: networks.ethereum.coin, ...manyFees }
  const policy: SignerPolicy = { networks: { ethereum }, assets }
  await writeFile(at('policy.json'), JSON.stringify(policy))
  await chmod(at('policy.json'), 0o644)
  const orderPublicKeys = at('order-keys.pub')
  const keyFiles = ['--private', orderKey, '--public', orderPublicKeys]
  const keyed = await runCoffer(['keys', 'order-key', ...keyFiles], {})
  expect(keyed.code, keyed.stderr).toBe(0)
  const socket = at('signer.sock')
  const words = [
    'signer',
    ...files,
    '--order-keys',
    orderPublicKeys,
    '--policy',
    at('policy.json'),
    '--socket',
    socket,
    '--hot-wallets',
    '2',
  ]
  const signer = spawnCoffer(words, {}, asSigner)
  await signer.wrote(/signer ready/)
  const [, xpub = ''] = /XPUB_EVM=(\S+)/.exec(made.stdout) ?? []
  const extendPolicy = async (more: SignerPolicy) => {
    const before = JSON.parse(await readFile(at('policy.json'), 'utf8')) as SignerPolicy
    const now = {
      networks: { ...before.networks, ...more.networks },
      assets: [...before.assets, ...more.assets],
    }
    await writeFile(at('policy.json'), JSON.stringify(now))
    signer.signal('SIGHUP')
  }
  return { signer, socket, xpub, intentKey: at('intent.key'), orderPublicKeys, extendPolicy }
}
