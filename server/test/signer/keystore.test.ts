import { describe, expect, it } from 'vitest'
import { evmAddresses } from '../../src/chains/evm/address.ts'
import { KeyTree } from '../../src/signer/keys/key-tree.ts'
import { keystoreText, openKeystore, readKeystore, sealKeystore } from '../../src/signer/keys/keystore.ts'

/** The mnemonic that development chains use. */
const mnemonic = 'test test test test test test test test test test test junk'
const passphrase = 'a passphrase of some length'

describe('the key tree', () => {
  const keys = new KeyTree(mnemonic, 3)

  it('derives deposit addresses like the account xpub', () => {
    const [first, second] = evmAddresses.derive(keys.depositXpub, 77, 4, 2)
    expect(keys.walletAt({ type: 'deposit', branch: 77, index: 4 })?.address).toBe(first)
    expect(keys.walletAt({ type: 'deposit', branch: 77, index: 5 })?.address).toBe(second)
    // Address of m/44'/60'/0'/0/0 of this mnemonic, as all wallets derive it.
    const known = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
    expect(keys.walletAt({ type: 'deposit', branch: 0, index: 0 })?.address).toBe(known)
  })

  it('has its hot wallets on an account of their own, so that no deposit address is a hot wallet', () => {
    expect(new Set(keys.hotWallets).size).toBe(3)
    expect(keys.walletAt({ type: 'hotWallet', hotWallet: 2 })?.address).toBe(keys.hotWallets[2])
    expect(keys.walletAt({ type: 'hotWallet', hotWallet: 3 })).toBeUndefined()
    // Address of m/44'/60'/1'/0/0 of this mnemonic.
    expect(keys.hotWallets[0]).toBe('0x8c8d35429f74ec245f8ef2f4fd1e551cff97d650')
  })
})

describe('a keystore', () => {
  const sealed = sealKeystore({
    mnemonic,
    passphrase,
    depositXpub: new KeyTree(mnemonic, 1).depositXpub,
    now: new Date('2026-01-02T03:04:05Z'),
  })

  it('returns the words only for the passphrase, and stores none of them unencrypted', async () => {
    const text = keystoreText(await sealed)
    const file = readKeystore(text, 'k.json')
    expect(file).toMatchObject({ version: 1, kdf: { name: 'scrypt', N: 131_072, r: 8, p: 1 } })
    expect(await openKeystore(file, passphrase)).toBe(mnemonic)
    await expect(openKeystore(file, `${passphrase} `)).rejects.toThrow('The passphrase is wrong')
    expect(text).not.toContain('junk')
  })

  it('is refused wherever it was altered', async () => {
    const file = await sealed
    const altered = [
      { ...file, fingerprints: { evm: '00'.repeat(8) } },
      { ...file, createdAt: '2020-01-01T00:00:00.000Z' },
      { ...file, kdf: { ...file.kdf, N: 2 ** 14 } },
      { ...file, sealed: `00${file.sealed.slice(2)}` },
      { ...file, sealed: file.sealed.slice(0, -2) },
    ]
    for (const one of altered)
      await expect(openKeystore(one, passphrase)).rejects.toThrow('The passphrase is wrong')
  })

  it('of an unknown format is refused before anything is computed', async () => {
    const file = await sealed
    const wrong = [
      '',
      '{}',
      'null',
      JSON.stringify({ ...file, version: 2 }),
      JSON.stringify({ ...file, kdf: { ...file.kdf, N: 2 ** 30 } }),
      JSON.stringify({ ...file, kdf: { ...file.kdf, salt: 'zz' } }),
      JSON.stringify({ ...file, sealed: '' }),
      JSON.stringify({ ...file, cipher: { name: 'none', nonce: '00' } }),
    ]
    for (const text of wrong) expect(() => readKeystore(text, 'k.json')).toThrow('k.json is not a keystore')
  })
})
