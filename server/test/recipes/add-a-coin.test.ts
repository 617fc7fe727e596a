/** The recipe for another coin, applied to a copy of these sources, compiled, and used. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { payments } from 'bitcoinjs-lib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type * as Networks from '../../src/chains/networks.ts'
import { type UtxoNetwork, networks as without } from '../../src/chains/networks.ts'
import type * as Addresses from '../../src/chains/utxo/address.ts'
import { utxoAddressesOf as addressesWithout } from '../../src/chains/utxo/address.ts'
import { required } from '../../src/core/assert.ts'
import type * as Catalogue from '../../src/pricing/payment-methods/catalogue.ts'
import { repositoryRoot } from '../support/coffer-process.ts'

// Below node_modules, so that packages are found.
const folder = path.join(repositoryRoot, 'node_modules/.cache/coffer', `recipe-${process.pid}`)
let row: UtxoNetwork
let addressesOf: typeof Addresses.utxoAddressesOf
let methods: ReturnType<typeof Catalogue.mainPaymentMethods>

function run(program: string, words: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}\n${stdout}${stderr}`)
}

beforeAll(async () => {
  const recipe = readFileSync(path.join(repositoryRoot, 'docs/recipes/add-a-coin.md'), 'utf8')
  const [, diff] = /```diff\n([\s\S]*?)```/.exec(recipe) ?? []
  mkdirSync(folder, { recursive: true })
  const isSource = (file: string) => !file.endsWith('.test.ts') && !file.includes('conformance')
  cpSync(path.join(repositoryRoot, 'server/src'), path.join(folder, 'server/src'), {
    recursive: true,
    filter: isSource,
  })
  for (const file of ['server/tsconfig.build.json', 'server/tsconfig.json', 'server/package.json'])
    cpSync(path.join(repositoryRoot, file), path.join(folder, file))
  writeFileSync(path.join(folder, 'recipe.diff'), required(diff, 'the change of the recipe'))
  // Into a repository of its own: else git looks for the files in ours.
  run('git', ['init', '-q'])
  run('git', ['apply', '-C1', 'recipe.diff'])
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  run(process.execPath, [tsc, '-p', 'server/tsconfig.build.json', '--outDir', 'out'])
  const load = (file: string) => import(path.join(folder, 'out', file))
  const { networks }: typeof Networks = await load('chains/networks.js')
  row = (networks as unknown as Record<string, UtxoNetwork>)['digibyte'] as UtxoNetwork
  ;({ utxoAddressesOf: addressesOf } = (await load('chains/utxo/address.js')) as typeof Addresses)
  const { mainPaymentMethods }: typeof Catalogue = await load('pricing/payment-methods/catalogue.js')
  methods = mainPaymentMethods()
}, 180_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const seed = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`)

it('the genesis block of DigiByte, from the header its chainparams.cpp states, is the one of the row', () => {
  const header = Buffer.alloc(80)
  header.writeUInt32LE(1, 0)
  const root = '72ddd9496b004221ed0557358846d9248ecd4c440ebd28ed901efc18757d0fad'
  header.set(Buffer.from(root, 'hex').reverse(), 36)
  for (const [place, word] of [1_389_388_394, 0x1e0ffff0, 2_447_652].entries())
    header.writeUInt32LE(word, 68 + 4 * place)
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()
  expect(sha256(sha256(header)).reverse().toString('hex')).toBe(row.chain.genesisHash)
})

it('BIP 84 addresses of DigiByte are those that a second library makes', () => {
  const account = HDKey.fromMasterSeed(seed).derive("m/84'/20'/0'")
  const codec = addressesOf(row)
  const network = {
    messagePrefix: '',
    bech32: 'dgb',
    bip32: { public: 0x0488b21e, private: 0x0488ade4 },
    pubKeyHash: 30,
    scriptHash: 63,
    wif: 128,
  }
  const derived = codec.derive(account.publicExtendedKey, 7, 0, 3)
  const expected = [0, 1, 2].map((index) => {
    const pubkey = required(account.deriveChild(7).deriveChild(index).publicKey, 'key')
    return payments.p2wpkh({ pubkey, network }).address
  })
  expect(derived).toEqual(expected)
  expect(derived[0]).toMatch(/^dgb1q/)
  expect(codec.paymentUri({ type: 'coin' }, derived[0] ?? '', 150_000_000n)).toBe(
    `digibyte:${derived[0]}?amount=1.5`,
  )
})

it('addresses of other networks are refused, and those of DigiByte elsewhere', () => {
  const [own = ''] = addressesOf(row).derive(
    HDKey.fromMasterSeed(seed).derive("m/84'/20'/0'").publicExtendedKey,
    0,
    0,
    1,
  )
  const bitcoins = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
  expect(addressesOf(row).readDestination(own)).toEqual({ address: own })
  expect(addressesOf(row).readDestination(bitcoins)).toHaveProperty('fault')
  expect(addressesWithout(without.bitcoin).readDestination(own)).toHaveProperty('fault')
  // Begins as Bitcoin's do: DigiByte's own older form.
  expect(addressesOf(row).readDestination('3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy')).toHaveProperty('fault')
})

it('it is a payment method, with a number of its own', () => {
  expect(methods.find(({ network }) => network === 'digibyte')).toMatchObject({
    id: 10,
    symbol: 'DGB',
    asset: 'digibyte/DGB',
    decimals: 8,
    contract: undefined,
  })
})
