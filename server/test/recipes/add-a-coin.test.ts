/** The recipe for a coin of the Bitcoin family, followed in a copy of the repository, compiled, and used. */
import { createHash } from 'node:crypto'
import path from 'node:path'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { payments } from 'bitcoinjs-lib'
import { beforeAll, expect, it } from 'vitest'
import type * as Networks from '../../src/chains/networks.ts'
import { type UtxoNetwork, networks as without } from '../../src/chains/networks.ts'
import type * as Addresses from '../../src/chains/utxo/address.ts'
import { utxoAddressesOf as addressesWithout } from '../../src/chains/utxo/address.ts'
import { required } from '../../src/core/assert.ts'
import type * as Catalogue from '../../src/pricing/payment-methods/catalogue.ts'
import { patienceMs, useRecipes } from '../support/recipe.ts'

const recipe = useRecipes('add-a-coin')
let row: UtxoNetwork
let addressesOf: typeof Addresses.utxoAddressesOf
let methods: ReturnType<typeof Catalogue.mainPaymentMethods>

beforeAll(async () => {
  const folder = recipe.compile()
  const load = (file: string) => import(path.join(folder, file))
  const { networks }: typeof Networks = await load('chains/networks.js')
  row = (networks as unknown as Record<string, UtxoNetwork>)['digibyte'] as UtxoNetwork
  ;({ utxoAddressesOf: addressesOf } = (await load('chains/utxo/address.js')) as typeof Addresses)
  const { mainPaymentMethods }: typeof Catalogue = await load('pricing/payment-methods/catalogue.js')
  methods = mainPaymentMethods()
}, patienceMs)

const seed = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`)

it('the genesis block of DigiByte, computed from the header in its chainparams.cpp, is the one of the row', () => {
  const header = Buffer.alloc(80)
  header.writeUInt32LE(1, 0)
  const root = '72ddd9496b004221ed0557358846d9248ecd4c440ebd28ed901efc18757d0fad'
  header.set(Buffer.from(root, 'hex').reverse(), 36)
  for (const [index, word] of [1_389_388_394, 0x1e0ffff0, 2_447_652].entries())
    header.writeUInt32LE(word, 68 + 4 * index)
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()
  expect(sha256(sha256(header)).reverse().toString('hex')).toBe(row.chain.genesisHash)
})

it('BIP 84 addresses of DigiByte equal those of a second library', () => {
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

it('addresses of other networks are refused on DigiByte, and those of DigiByte on others', () => {
  const [own = ''] = addressesOf(row).derive(
    HDKey.fromMasterSeed(seed).derive("m/84'/20'/0'").publicExtendedKey,
    0,
    0,
    1,
  )
  const bitcoins = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
  expect(addressesOf(row).readDestination(own)).toEqual({ address: own })
  expect(addressesOf(row).readDestination(bitcoins)).toHaveProperty('error')
  expect(addressesWithout(without.bitcoin).readDestination(own)).toHaveProperty('error')
  // DigiByte's own older addresses begin as Bitcoin's do.
  expect(addressesOf(row).readDestination('3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy')).toHaveProperty('error')
})

it('DigiByte is a payment method with a number of its own', () => {
  expect(methods.find(({ network }) => network === 'digibyte')).toMatchObject({
    id: 110,
    symbol: 'DGB',
    asset: 'digibyte/DGB',
    decimals: 8,
    contract: undefined,
  })
})

it(
  'the payment methods meet the rules of the table',
  async () => {
    const failures = await recipe.failuresIn([
      'server/src/pricing/payment-methods/payment-method.test.ts',
      'server/test/api/limits.test.ts',
      'server/test/api/payment-methods.test.ts',
    ])
    expect(failures).toEqual([])
  },
  patienceMs,
)
