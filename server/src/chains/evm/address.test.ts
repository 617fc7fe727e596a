import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { required } from '../../core/assert.ts'
import { evmAddresses, evmAddressesOf } from './address.ts'

/** The test cases of EIP-55. */
const checksummed = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
]

describe('the form of addresses', () => {
  it.each(checksummed)('shows %s with the checksum of EIP-55 and accepts it', (address) => {
    expect(evmAddresses.canonical(address)).toBe(address.toLowerCase())
    expect(evmAddresses.display(address.toLowerCase())).toBe(address)
  })

  it.each(checksummed)('accepts %s without a checksum, all lower or all upper', (address) => {
    const digits = address.slice(2)
    expect(evmAddresses.canonical(`0x${digits.toLowerCase()}`)).toBe(address.toLowerCase())
    expect(evmAddresses.canonical(`0x${digits.toUpperCase()}`)).toBe(address.toLowerCase())
  })

  it('refuses an address with one letter in the wrong case', () => {
    expect(evmAddresses.canonical('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed')).toBeUndefined()
    expect(evmAddresses.canonical('0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toBeUndefined()
  })

  it.each([
    '',
    '0x',
    '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae',
    '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed0',
    '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeg',
    ' 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed\n',
    'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS',
  ])('refuses %j', (text) => {
    expect(evmAddresses.canonical(text)).toBeUndefined()
  })

  it('comes back to the canonical form from the one that is shown', () => {
    fc.assert(
      fc.property(hexDigits(40), (digits) => {
        const address = `0x${digits}`
        expect(evmAddresses.canonical(evmAddresses.display(address))).toBe(address)
      }),
    )
  })
})

/** The default mnemonic of Hardhat and anvil, whose first accounts are widely known. */
const mnemonic = 'test test test test test test test test test test test junk'
const master = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic))
const account = master.derive("m/44'/60'/0'")

describe('a destination', () => {
  it.each(checksummed)('is read from %s in every form that carries no wrong checksum', (address) => {
    const digits = address.slice(2)
    for (const text of [address, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`]) {
      expect(evmAddresses.readDestination(text)).toEqual({ address: address.toLowerCase() })
    }
  })

  it.each([
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed', 'checksum'],
    [`0x${'0'.repeat(40)}`, 'zero address'],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'not a valid Ethereum address'],
    ['TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', 'not a valid Ethereum address'],
    ['0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae', '40 hexadecimal digits'],
  ])('is refused for %s, saying why', (text, why) => {
    const read = evmAddresses.readDestination(text)
    expect('error' in read ? read.error : '').toContain(why)
  })
})

describe('derivation', () => {
  it('derives the known accounts of a known mnemonic', () => {
    expect(evmAddresses.derive(account.publicExtendedKey, 0, 0, 3)).toEqual([
      '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
      '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
    ])
  })

  it('derives the same address alone as in a batch, and others on other branches', () => {
    const xpub = account.publicExtendedKey
    const [alone] = evmAddresses.derive(xpub, 3_600_000, 41, 1)
    expect(evmAddresses.derive(xpub, 3_600_000, 40, 3)[1]).toBe(alone)
    expect(evmAddresses.derive(xpub, 3_600_001, 41, 1)[0]).not.toBe(alone)
    expect(evmAddresses.derive(xpub, 3_600_000, 41, 0)).toEqual([])
  })

  it('refuses a private key without repeating it', () => {
    const xprv = required(account.privateExtendedKey, 'private key')
    expect(() => evmAddresses.derive(xprv, 0, 0, 1)).toThrow('PRIVATE')
    expect(() => evmAddresses.derive(xprv, 0, 0, 1)).not.toThrow(xprv)
  })

  it('refuses an xpub that is not of an account', () => {
    expect(() => evmAddresses.derive(master.publicExtendedKey, 0, 0, 1)).toThrow('depth 0')
    expect(() => evmAddresses.derive(account.deriveChild(0).publicExtendedKey, 0, 0, 1)).toThrow('depth 4')
  })

  it('refuses a damaged xpub', () => {
    const xpub = account.publicExtendedKey
    expect(() => evmAddresses.derive(`${xpub.slice(0, -1)}1`, 0, 0, 1)).toThrow('malformed')
    expect(() => evmAddresses.derive('', 0, 0, 1)).toThrow('malformed')
  })
})

describe('payment links', () => {
  const address = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
  const contract = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359'

  it('asks for coins by value', () => {
    expect(evmAddressesOf(1).paymentUri({ type: 'coin' }, address, 2_014_000_000_000_000_000n)).toBe(
      'ethereum:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed@1?value=2014000000000000000',
    )
  })

  it("asks for tokens by a call of the contract's transfer", () => {
    expect(evmAddressesOf(31337).paymentUri({ type: 'token', contract }, address, 1_500_000n)).toBe(
      'ethereum:0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359@31337/transfer' +
        '?address=0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed&uint256=1500000',
    )
  })
})

function hexDigits(length: number) {
  return fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })
}
