import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { address as otherAddress, payments } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { networks } from '../networks.ts'
import { plainXpub } from './account-key.ts'
import { utxoAddressesOf } from './address.ts'
import { scriptReader } from './address-encoding.ts'
import { utxoChains } from './utxo-chains.ts'

const bitcoin = utxoAddressesOf(networks.bitcoin)
const bitcoinTest = utxoAddressesOf({ ...networks.bitcoin, chain: utxoChains.bitcoin.test })
const litecoin = utxoAddressesOf(networks.litecoin)
const dogecoin = utxoAddressesOf(networks.dogecoin)
const errorOf = (read: object) => ('error' in read ? read.error : undefined)
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))

describe('BIP 173 and BIP 350 addresses', () => {
  it.each([
    ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
    [
      'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
      '00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
    ],
    [
      'tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy',
      '0020000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
    ],
    [
      'tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c',
      '5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
    ],
    [
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    ],
  ])('BIP 350: %s is the address of its script', (text, script) => {
    const chain = text.toLowerCase().startsWith('bc') ? utxoChains.bitcoin.main : utxoChains.bitcoin.test
    const codec = utxoAddressesOf({ ...networks.bitcoin, chain })
    expect(codec.readDestination(text)).toEqual({ address: text.toLowerCase() })
    expect(scriptReader(chain)(bytes(script))).toBe(text.toLowerCase())
  })

  it.each([
    'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
    'BC1SW50QGDZ25J',
    'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs',
  ])('BIP 350: %s is of a witness version that nothing defines yet, so nothing is sent there', (text) => {
    expect(errorOf(bitcoin.readDestination(text))).toBe('has a type from which nobody can spend yet')
    expect(bitcoin.canonical(text)).toBeUndefined()
  })

  it.each([
    ['BIP 173', 'tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty'],
    ['BIP 173', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'],
    ['BIP 173', 'BC13W508D6QEJXTDG4Y5R3ZARVARY0C5XW7KN40WF2'],
    ['BIP 173', 'bc1rw5uspcuh'],
    ['BIP 173', 'bc10w508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kw5rljs90'],
    ['BIP 173', 'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sL5k7'],
    ['BIP 173', 'bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du'],
    ['BIP 173', 'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3pjxtptv'],
    ['BIP 350', 'tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut'],
    ['BIP 350', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd'],
    ['BIP 350', 'tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf'],
    ['BIP 350', 'BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL'],
    ['BIP 350', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh'],
    ['BIP 350', 'tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47'],
    ['BIP 350', 'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4'],
    ['BIP 350', 'BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R'],
    ['BIP 350', 'bc1pw5dgrnzv'],
    ['BIP 350', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav'],
    ['BIP 350', 'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P'],
    ['BIP 350', 'tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq'],
    ['BIP 350', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf'],
    ['BIP 350', 'tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j'],
    ['BIP 350', 'bc1gmk9yu'],
  ])('%s: %s is no address', (_, text) => {
    for (const codec of [bitcoin, bitcoinTest]) {
      expect(codec.canonical(text)).toBeUndefined()
      expect(errorOf(codec.readDestination(text))).toBeTypeOf('string')
    }
  })
})

describe('destinations', () => {
  it.each([
    [bitcoin, '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
    [bitcoin, '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy'],
    [litecoin, 'LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1'],
    [litecoin, 'MQMcJhpWHYVeQArcZR3sBgyPZxxRtnH441'],
    [litecoin, 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9'],
    [dogecoin, 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L'],
    [dogecoin, '9s5Rp1SXzoFHhsQgwUBu8EUwov6jGmfHUA'],
  ])('takes $1 as it is', (codec, text) => {
    expect(codec.readDestination(text)).toEqual({ address: text })
    expect(codec.display(text)).toBe(text)
  })

  it.each([
    [litecoin, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'belongs to another network (Bitcoin)'],
    [
      litecoin,
      'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0',
      'belongs to another network (Litecoin testnet)',
    ],
    [litecoin, '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'belongs to another network (Bitcoin)'],
    [bitcoin, 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L', 'belongs to another network (Dogecoin)'],
    [dogecoin, 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9', 'belongs to another network (Litecoin)'],
    [bitcoin, '0x52908400098527886E0F7030069857D2E4169EE7', 'is incomplete or belongs to another network'],
    [bitcoin, '', 'is incomplete or belongs to another network'],
    [bitcoin, '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb', 'does not match its checksum'],
    [litecoin, 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n8', 'does not match its checksum'],
    [litecoin, 'Ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9', 'does not match its checksum'],
    [litecoin, '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'an old form that another coin uses too'],
    [
      litecoin,
      'ltcmweb1qqt9hwch3vu8ct48nhnzhcvwcgf7rvxf7qdk0qh6ge6mhn4f5tkxjxqelf7l7a7mj7pdpgzye0xtl2u5efjn0qr2tmjqqqqqqqqqqqqqqqq2r9dxn',
      'extension block of Litecoin (MWEB)',
    ],
  ])('refuses $1 and says why', (codec, text, error) => {
    expect(errorOf(codec.readDestination(text))).toContain(error)
    expect(codec.canonical(text)).toBeUndefined()
  })

  it('of any text is an address as another library writes it, or nothing', () => {
    const read = (text: string) => {
      try {
        return Buffer.from(otherAddress.toOutputScript(text)).toString('hex')
      } catch {
        return undefined
      }
    }
    const readScript = scriptReader(utxoChains.bitcoin.main)
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (hash) => {
        for (const made of [payments.p2wpkh({ hash }), payments.p2pkh({ hash }), payments.p2sh({ hash })]) {
          expect(bitcoin.canonical(made.address ?? '')).toBe(made.address)
          expect(readScript(made.output ?? new Uint8Array())).toBe(made.address)
          expect(read(made.address ?? '')).toBe(Buffer.from(made.output ?? '').toString('hex'))
        }
      }),
      { numRuns: 30 },
    )
    fc.assert(fc.property(fc.string(), (text) => bitcoin.canonical(text) === undefined))
  })
})

const words = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
const seed = mnemonicToSeedSync(words)
const zpubVersions = { private: 0x04b2430c, public: 0x04b24746 }

describe('addresses derived from an account key', () => {
  const root = HDKey.fromMasterSeed(seed)
  const account = root.derive("m/84'/0'/0'")

  it('BIP 84: are those of its test vectors', () => {
    const xpub = account.publicExtendedKey
    expect(bitcoin.derive(xpub, 0, 0, 2)).toEqual([
      'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
      'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g',
    ])
    expect(bitcoin.derive(xpub, 1, 0, 1)).toEqual(['bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el'])
  })

  it('BIP 84: are the same for the account key as a zpub', () => {
    const zpub = HDKey.fromMasterSeed(seed, zpubVersions).derive("m/84'/0'/0'").publicExtendedKey
    expect(zpub.startsWith('zpub')).toBe(true)
    expect(bitcoin.derive(zpub, 0, 0, 1)).toEqual(bitcoin.derive(account.publicExtendedKey, 0, 0, 1))
    expect(plainXpub(zpub, utxoChains.bitcoin.main)).toBe(account.publicExtendedKey)
  })

  it('BIP 32: of test vector 1 are those of its public keys', () => {
    const vector =
      'xpub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUNgqFJPMM3No2dFDFGTsxxpG5uJh7n7epu4trkrX7x7DogT5Uv6fcLW5'
    const child = HDKey.fromExtendedKey(
      'xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJAyiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV',
    ).deriveChild(7).publicKey
    const pubkey = child ?? new Uint8Array()
    expect(bitcoin.derive(vector, 2, 7, 1)).toEqual([payments.p2wpkh({ pubkey }).address])
  })

  it('are of the coin: Litecoin with its own prefix, Dogecoin as BIP 44 has them', () => {
    const { publicKey } = account.deriveChild(0).deriveChild(0)
    const pubkey = publicKey ?? new Uint8Array()
    const bip32 = { public: 0, private: 0 }
    const others = {
      litecoin: { messagePrefix: '', bech32: 'ltc', bip32, pubKeyHash: 0x30, scriptHash: 0x32, wif: 0 },
      dogecoin: { messagePrefix: '', bech32: '', bip32, pubKeyHash: 0x1e, scriptHash: 0x16, wif: 0 },
    }
    const xpub = account.publicExtendedKey
    expect(litecoin.derive(xpub, 0, 0, 1)).toEqual([
      payments.p2wpkh({ pubkey, network: others.litecoin }).address,
    ])
    expect(dogecoin.derive(xpub, 0, 0, 1)).toEqual([
      payments.p2pkh({ pubkey, network: others.dogecoin }).address,
    ])
  })

  it('are refused for a private key, another depth, another chain and another kind of address', () => {
    const derive = (xpub: string) => () => bitcoin.derive(xpub, 0, 0, 1)
    expect(derive(account.privateExtendedKey)).toThrow('PRIVATE')
    expect(derive(account.privateExtendedKey)).not.toThrow(account.privateExtendedKey)
    expect(derive(root.publicExtendedKey)).toThrow('depth 0')
    for (const version of [0x043587cf, 0x049d7cb2, 0x019da462]) {
      const foreign = HDKey.fromMasterSeed(seed, { public: version, private: 1 }).derive("m/84'/0'/0'")
      expect(derive(foreign.publicExtendedKey)).toThrow('belongs to another coin')
    }
    expect(derive('')).toThrow('malformed')
  })
})

it('BIP 21: a link names the address and the amount in whole coins, without an exponent', () => {
  const address = 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9'
  expect(litecoin.paymentUri({ type: 'coin' }, address, 2_030_000_001n)).toBe(
    `litecoin:${address}?amount=20.30000001`,
  )
  expect(bitcoin.paymentUri({ type: 'coin' }, 'bc1', 1n)).toBe('bitcoin:bc1?amount=0.00000001')
})

it('no two chains have the same first block, and none on which money is real has a prefix of a test chain', () => {
  const all = Object.values(utxoChains).flatMap((chains) => Object.values(chains))
  expect(new Set(all.map(({ genesisHash }) => genesisHash)).size).toBe(all.length)
  const real = all
    .filter(({ kind }) => kind === 'main')
    .flatMap(({ pubKeyHash, bech32 }) => [pubKeyHash, bech32])
  const test = all.filter(({ kind }) => kind !== 'main').flatMap(({ pubKeyHash }) => [pubKeyHash])
  expect(real.filter((one) => one !== undefined && test.includes(one as never))).toEqual([])
})
