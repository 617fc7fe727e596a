/** Checks the code behind addresses, keys and signatures against the complete test vectors of the BIPs. */
import { bech32, bech32m } from '@scure/base'
import { HDKey } from '@scure/bip32'
import { SigHash, Transaction, WIF } from '@scure/btc-signer'
import { Transaction as SecondTransaction } from 'bitcoinjs-lib'
import { describe, expect, it } from 'vitest'
import { networks } from '../../src/chains/networks.ts'
import { readAccountKey } from '../../src/chains/utxo/account-key.ts'
import { utxoAddressesOf } from '../../src/chains/utxo/address.ts'
import { utxoChains } from '../../src/chains/utxo/utxo-chains.ts'
import { KeyTree } from '../../src/signer/keys/key-tree.ts'

const main = utxoChains.bitcoin.main
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const hexOf = (given: Uint8Array) => Buffer.from(given).toString('hex')

describe('BIP 32', () => {
  it.each([
    [
      'test vector 1',
      '000102030405060708090a0b0c0d0e0f',
      [
        [
          'm',
          'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8',
          'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi',
        ],
        [
          "m/0'",
          'xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw',
          'xprv9uHRZZhk6KAJC1avXpDAp4MDc3sQKNxDiPvvkX8Br5ngLNv1TxvUxt4cV1rGL5hj6KCesnDYUhd7oWgT11eZG7XnxHrnYeSvkzY7d2bhkJ7',
        ],
        [
          "m/0'/1",
          'xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2AxYysAA7xmALppuCkwQ',
          'xprv9wTYmMFdV23N2TdNG573QoEsfRrWKQgWeibmLntzniatZvR9BmLnvSxqu53Kw1UmYPxLgboyZQaXwTCg8MSY3H2EU4pWcQDnRnrVA1xe8fs',
        ],
        [
          "m/0'/1/2'",
          'xpub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUNgqFJPMM3No2dFDFGTsxxpG5uJh7n7epu4trkrX7x7DogT5Uv6fcLW5',
          'xprv9z4pot5VBttmtdRTWfWQmoH1taj2axGVzFqSb8C9xaxKymcFzXBDptWmT7FwuEzG3ryjH4ktypQSAewRiNMjANTtpgP4mLTj34bhnZX7UiM',
        ],
        [
          "m/0'/1/2'/2",
          'xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJAyiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV',
          'xprvA2JDeKCSNNZky6uBCviVfJSKyQ1mDYahRjijr5idH2WwLsEd4Hsb2Tyh8RfQMuPh7f7RtyzTtdrbdqqsunu5Mm3wDvUAKRHSC34sJ7in334',
        ],
        [
          "m/0'/1/2'/2/1000000000",
          'xpub6H1LXWLaKsWFhvm6RVpEL9P4KfRZSW7abD2ttkWP3SSQvnyA8FSVqNTEcYFgJS2UaFcxupHiYkro49S8yGasTvXEYBVPamhGW6cFJodrTHy',
          'xprvA41z7zogVVwxVSgdKUHDy1SKmdb533PjDz7J6N6mV6uS3ze1ai8FHa8kmHScGpWmj4WggLyQjgPie1rFSruoUihUZREPSL39UNdE3BBDu76',
        ],
      ],
    ],
    [
      'test vector 2',
      'fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542',
      [
        [
          'm',
          'xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB',
          'xprv9s21ZrQH143K31xYSDQpPDxsXRTUcvj2iNHm5NUtrGiGG5e2DtALGdso3pGz6ssrdK4PFmM8NSpSBHNqPqm55Qn3LqFtT2emdEXVYsCzC2U',
        ],
        [
          'm/0',
          'xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3ZuxV27CprR9LgpeyGmXUbC6wb7ERfvrnKZjXoUmmDznezpbZb7ap6r1D3tgFxHmwMkQTPH',
          'xprv9vHkqa6EV4sPZHYqZznhT2NPtPCjKuDKGY38FBWLvgaDx45zo9WQRUT3dKYnjwih2yJD9mkrocEZXo1ex8G81dwSM1fwqWpWkeS3v86pgKt',
        ],
        [
          "m/0/2147483647'",
          'xpub6ASAVgeehLbnwdqV6UKMHVzgqAG8Gr6riv3Fxxpj8ksbH9ebxaEyBLZ85ySDhKiLDBrQSARLq1uNRts8RuJiHjaDMBU4Zn9h8LZNnBC5y4a',
          'xprv9wSp6B7kry3Vj9m1zSnLvN3xH8RdsPP1Mh7fAaR7aRLcQMKTR2vidYEeEg2mUCTAwCd6vnxVrcjfy2kRgVsFawNzmjuHc2YmYRmagcEPdU9',
        ],
        [
          "m/0/2147483647'/1",
          'xpub6DF8uhdarytz3FWdA8TvFSvvAh8dP3283MY7p2V4SeE2wyWmG5mg5EwVvmdMVCQcoNJxGoWaU9DCWh89LojfZ537wTfunKau47EL2dhHKon',
          'xprv9zFnWC6h2cLgpmSA46vutJzBcfJ8yaJGg8cX1e5StJh45BBciYTRXSd25UEPVuesF9yog62tGAQtHjXajPPdbRCHuWS6T8XA2ECKADdw4Ef',
        ],
        [
          "m/0/2147483647'/1/2147483646'",
          'xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL',
          'xprvA1RpRA33e1JQ7ifknakTFpgNXPmW2YvmhqLQYMmrj4xJXXWYpDPS3xz7iAxn8L39njGVyuoseXzU6rcxFLJ8HFsTjSyQbLYnMpCqE2VbFWc',
        ],
        [
          "m/0/2147483647'/1/2147483646'/2",
          'xpub6FnCn6nSzZAw5Tw7cgR9bi15UV96gLZhjDstkXXxvCLsUXBGXPdSnLFbdpq8p9HmGsApME5hQTZ3emM2rnY5agb9rXpVGyy3bdW6EEgAtqt',
          'xprvA2nrNbFZABcdryreWet9Ea4LvTJcGsqrMzxHx98MMrotbir7yrKCEXw7nadnHM8Dq38EGfSh6dqA9QWTyefMLEcBYJUuekgW4BYPJcr9E7j',
        ],
      ],
    ],
    [
      'test vector 3',
      '4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4acba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c73235be',
      [
        [
          'm',
          'xpub661MyMwAqRbcEZVB4dScxMAdx6d4nFc9nvyvH3v4gJL378CSRZiYmhRoP7mBy6gSPSCYk6SzXPTf3ND1cZAceL7SfJ1Z3GC8vBgp2epUt13',
          'xprv9s21ZrQH143K25QhxbucbDDuQ4naNntJRi4KUfWT7xo4EKsHt2QJDu7KXp1A3u7Bi1j8ph3EGsZ9Xvz9dGuVrtHHs7pXeTzjuxBrCmmhgC6',
        ],
        [
          "m/0'",
          'xpub68NZiKmJWnxxS6aaHmn81bvJeTESw724CRDs6HbuccFQN9Ku14VQrADWgqbhhTHBaohPX4CjNLf9fq9MYo6oDaPPLPxSb7gwQN3ih19Zm4Y',
          'xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqCJGHuCJ4GiRVLzkTXBAJMu2qaMWPrS7AANYqdq6vcBcBUdJCVVFceUvJFjaPdGZ2y9WACViL4L',
        ],
      ],
    ],
    [
      'test vector 4',
      '3ddd5602285899a946114506157c7997e5444528f3003f6134712147db19b678',
      [
        [
          'm',
          'xpub661MyMwAqRbcGczjuMoRm6dXaLDEhW1u34gKenbeYqAix21mdUKJyuyu5F1rzYGVxyL6tmgBUAEPrEz92mBXjByMRiJdba9wpnN37RLLAXa',
          'xprv9s21ZrQH143K48vGoLGRPxgo2JNkJ3J3fqkirQC2zVdk5Dgd5w14S7fRDyHH4dWNHUgkvsvNDCkvAwcSHNAQwhwgNMgZhLtQC63zxwhQmRv',
        ],
        [
          "m/0'",
          'xpub69AUMk3qDBi3uW1sXgjCmVjJ2G6WQoYSnNHyzkmdCHEhSZ4tBok37xfFEqHd2AddP56Tqp4o56AePAgCjYdvpW2PU2jbUPFKsav5ut6Ch1m',
          'xprv9vB7xEWwNp9kh1wQRfCCQMnZUEG21LpbR9NPCNN1dwhiZkjjeGRnaALmPXCX7SgjFTiCTT6bXes17boXtjq3xLpcDjzEuGLQBM5ohqkao9G',
        ],
        [
          "m/0'/1'",
          'xpub6BJA1jSqiukeaesWfxe6sNK9CCGaujFFSJLomWHprUL9DePQ4JDkM5d88n49sMGJxrhpjazuXYWdMf17C9T5XnxkopaeS7jGk1GyyVziaMt',
          'xprv9xJocDuwtYCMNAo3Zw76WENQeAS6WGXQ55RCy7tDJ8oALr4FWkuVoHJeHVAcAqiZLE7Je3vZJHxspZdFHfnBEjHqU5hG1Jaj32dVoS6XLT1',
        ],
      ],
    ],
  ] as const)('BIP 32: %s', (_, seed, steps) => {
    const root = HDKey.fromMasterSeed(bytes(seed))
    let before = ''
    for (const [path, xpub, xprv] of steps) {
      const key = root.derive(path)
      expect([key.publicExtendedKey, key.privateExtendedKey]).toEqual([xpub, xprv])
      const last = path.split('/').at(-1) ?? ''
      // A child that is not hardened can be derived from the public key alone.
      if (before !== '' && !last.endsWith("'"))
        expect(HDKey.fromExtendedKey(before).deriveChild(Number(last)).publicExtendedKey).toBe(xpub)
      before = xpub
    }
  })

  it.each([
    [
      'pubkey version / prvkey mismatch',
      'xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6LBpB85b3D2yc8sfvZU521AAwdZafEz7mnzBBsz4wKY5fTtTQBm',
    ],
    [
      'prvkey version / pubkey mismatch',
      'xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFGTQQD3dC4H2D5GBj7vWvSQaaBv5cxi9gafk7NF3pnBju6dwKvH',
    ],
    [
      'invalid pubkey prefix 04',
      'xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6Txnt3siSujt9RCVYsx4qHZGc62TG4McvMGcAUjeuwZdduYEvFn',
    ],
    [
      'invalid prvkey prefix 04',
      'xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFGpWnsj83BHtEy5Zt8CcDr1UiRXuWCmTQLxEK9vbz5gPstX92JQ',
    ],
    [
      'invalid pubkey prefix 01',
      'xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6N8ZMMXctdiCjxTNq964yKkwrkBJJwpzZS4HS2fxvyYUA4q2Xe4',
    ],
    [
      'invalid prvkey prefix 01',
      'xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFAzHGBP2UuGCqWLTAPLcMtD9y5gkZ6Eq3Rjuahrv17fEQ3Qen6J',
    ],
    [
      'zero depth with non-zero parent fingerprint, private',
      'xprv9s2SPatNQ9Vc6GTbVMFPFo7jsaZySyzk7L8n2uqKXJen3KUmvQNTuLh3fhZMBoG3G4ZW1N2kZuHEPY53qmbZzCHshoQnNf4GvELZfqTUrcv',
    ],
    [
      'zero depth with non-zero parent fingerprint, public',
      'xpub661no6RGEX3uJkY4bNnPcw4URcQTrSibUZ4NqJEw5eBkv7ovTwgiT91XX27VbEXGENhYRCf7hyEbWrR3FewATdCEebj6znwMfQkhRYHRLpJ',
    ],
    [
      'zero depth with non-zero index, private',
      'xprv9s21ZrQH4r4TsiLvyLXqM9P7k1K3EYhA1kkD6xuquB5i39AU8KF42acDyL3qsDbU9NmZn6MsGSUYZEsuoePmjzsB3eFKSUEh3Gu1N3cqVUN',
    ],
    [
      'zero depth with non-zero index, public',
      'xpub661MyMwAuDcm6CRQ5N4qiHKrJ39Xe1R1NyfouMKTTWcguwVcfrZJaNvhpebzGerh7gucBvzEQWRugZDuDXjNDRmXzSZe4c7mnTK97pTvGS8',
    ],
    [
      'unknown extended key version, public',
      'DMwo58pR1QLEFihHiXPVykYB6fJmsTeHvyTp7hRThAtCX8CvYzgPcn8XnmdfHGMQzT7ayAmfo4z3gY5KfbrZWZ6St24UVf2Qgo6oujFktLHdHY4',
    ],
    [
      'unknown extended key version, private',
      'DMwo58pR1QLEFihHiXPVykYB6fJmsTeHvyTp7hRThAtCX8CvYzgPcn8XnmdfHPmHJiEDXkTiJTVV9rHEBUem2mwVbbNfvT2MTcAqj3nesx8uBf9',
    ],
    [
      'private key 0 not in 1..n-1',
      'xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzF93Y5wvzdUayhgkkFoicQZcP3y52uPPxFnfoLZB21Teqt1VvEHx',
    ],
    [
      'private key n not in 1..n-1',
      'xprv9s21ZrQH143K24Mfq5zL5MhWK9hUhhGbd45hLXo2Pq2oqzMMo63oStZzFAzHGBP2UuGCqWLTAPLcMtD5SDKr24z3aiUvKr9bJpdrcLg1y3G',
    ],
    [
      'invalid pubkey 020000000000000000000000000000000000000000000000000000000000000007',
      'xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6Q5JXayek4PRsn35jii4veMimro1xefsM58PgBMrvdYre8QyULY',
    ],
    [
      'invalid checksum',
      'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHL',
    ],
  ])('BIP 32: test vector 5, %s', (_, text) => {
    expect(() => HDKey.fromExtendedKey(text)).toThrow()
    expect(() => readAccountKey(text, main)).toThrow()
  })
})

describe('BIP 84', () => {
  const words =
    'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
  const keys = new KeyTree(words, 1)
  const account = keys.accountOf(main).xpub

  it('BIP 84: the account key', () => {
    const xpriv =
      'zprvAdG4iTXWBoARxkkzNpNh8r6Qag3irQB8PzEMkAFeTRXxHpbF9z4QgEvBRmfvqWvGp42t42nvgGpNgYSJA9iefm1yYNZKEm7z6qUWCroSQnE'
    const decoded = HDKey.fromExtendedKey(xpriv, { private: 0x04b2430c, public: 0x04b24746 })
    expect(HDKey.fromExtendedKey(account).publicKey).toEqual(decoded.publicKey)
    expect(HDKey.fromExtendedKey(account).chainCode).toEqual(decoded.chainCode)
  })

  it.each([
    [
      'first receiving address',
      [0, 0],
      'KyZpNDKnfs94vbrwhJneDi77V6jF64PWPF8x5cdJb8ifgg2DUc9d',
      '0330d54fd0dd420a6e5f8d3624f5f3482cae350f79d5f0753bf5beef9c2d91af3c',
      'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    ],
    [
      'second receiving address',
      [0, 1],
      'Kxpf5b8p3qX56DKEe5NqWbNUP9MnqoRFzZwHRtsFqhzuvUJsYZCy',
      '03e775fd51f0dfb8cd865d9ff1cca2a158cf651fe997fdc9fee9c1d3b5e995ea77',
      'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g',
    ],
    [
      'first change address',
      [1, 0],
      'KxuoxufJL5csa1Wieb2kp29VNdn92Us8CoaUG3aGtPtcF3AzeXvF',
      '03025324888e429ab8e3dbaf1f7802648b9cd01e9b418485c5fa4c1b9b5700e1a6',
      'bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el',
    ],
  ] as const)('BIP 84: the %s', (_, [branch, index], privkey, pubkey, address) => {
    const key = keys.utxoKeyAt(main, { type: 'deposit', branch, index })
    expect([WIF().encode(key.privateKey), key.publicKey]).toEqual([privkey, pubkey])
    expect(utxoAddressesOf(networks.bitcoin).derive(account, branch, index, 1)).toEqual([address])
  })
})

const outOfRange = (code: number, rest: string) => `${String.fromCharCode(code)}${rest}`

describe.each([
  [
    'BIP 173',
    bech32,
    [
      'A12UEL5L',
      'a12uel5l',
      'an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs',
      'abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw',
      '11qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqc8247j',
      'split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w',
      '?1ezyfcl',
    ],
    [
      outOfRange(0x20, '1nwldj5'),
      outOfRange(0x7f, '1axkwrx'),
      outOfRange(0x80, '1eym55h'),
      'an84characterslonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1569pvx',
      'pzry9x0s0muk',
      '1pzry9x0s0muk',
      'x1b4n0q5v',
      'li1dgmt3',
      `de1lg7wt${String.fromCharCode(0xff)}`,
      'A1G7SGD8',
      '10a06t8',
      '1qzzfhee',
    ],
  ],
  [
    'BIP 350',
    bech32m,
    [
      'A1LQFN3A',
      'a1lqfn3a',
      'an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11sg7hg6',
      'abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx',
      '11llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllludsr8',
      'split1checkupstagehandshakeupstreamerranterredcaperredlc445v',
      '?1v759aa',
    ],
    [
      outOfRange(0x20, '1xj0phk'),
      outOfRange(0x7f, '1g6xzxy'),
      outOfRange(0x80, '1vctc34'),
      'an84characterslonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11d6pts4',
      'qyrz8wqd2c9m',
      '1qyrz8wqd2c9m',
      'y1b0jsk6g',
      'lt1igcx5c0',
      'in1muywd',
      'mm1crxm3i',
      'au1s5cgom',
      'M1VUXWEZ',
      '16plkw9',
      '1p2gdwpf',
    ],
  ],
] as const)('%s', (document, encoding, valid, invalid) => {
  const other = encoding === bech32 ? bech32m : bech32

  it.each(valid.map((text) => [text]))(`${document}: %s is valid`, (text) => {
    expect(encoding.decodeUnsafe(text)).toBeDefined()
    expect(other.decodeUnsafe(text)).toBeUndefined()
  })

  it.each(invalid.map((text) => [text]))(`${document}: %j is not valid`, (text) => {
    expect(encoding.decodeUnsafe(text)).toBeUndefined()
    expect(utxoAddressesOf(networks.bitcoin).canonical(text)).toBeUndefined()
  })
})

describe('BIP 173, addresses that BIP 350 encodes anew', () => {
  it.each([
    'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7k7grplx',
    'BC1SW50QA3JX3S',
    'bc1zw508d6qejxtdg4y5r3zarvaryvg6kdaj',
  ])('BIP 173: %s is refused, because it encodes a later version in the older encoding', (text) => {
    expect(bech32.decodeUnsafe(text)).toBeDefined()
    expect(utxoAddressesOf(networks.bitcoin).canonical(text)).toBeUndefined()
  })
})

describe('BIP 143', () => {
  it('BIP 143: native P2WPKH, its digest and its signature', () => {
    const unsigned =
      '0100000002fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f0000000000eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac11000000'
    const transaction = Transaction.fromRaw(bytes(unsigned))
    const code = bytes('76a9141d0f172a0ecb48aee1be1f2687d2963ae33f71a188ac')
    const sigHash = 'c37af31116d1b27caf68aae9e3ac82f1477929014d5b917657d0eb49478cb670'
    expect(hexOf(transaction.preimageWitnessV0(1, code, SigHash.ALL, 600_000_000n))).toBe(sigHash)
    const second = SecondTransaction.fromHex(unsigned)
    expect(hexOf(second.hashForWitnessV0(1, code, 600_000_000n, SecondTransaction.SIGHASH_ALL))).toBe(sigHash)
    const script = bytes('00141d0f172a0ecb48aee1be1f2687d2963ae33f71a1')
    transaction.updateInput(1, { witnessUtxo: { script, amount: 600_000_000n } })
    transaction.signIdx(bytes('619c335025c7f4012e556c2a58b2506e30b8511b53ade95ea316fd8c3286feb9'), 1)
    const [[publicKey, signature] = []] = transaction.getInput(1).partialSig ?? []
    expect(hexOf(publicKey ?? new Uint8Array())).toBe(
      '025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee6357',
    )
    // The signature ends with its sighash type.
    expect(hexOf(signature ?? new Uint8Array())).toBe(
      '304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c4518331561406f90300e8f3358f51928d43c212a8caed02de67eebee01',
    )
  })

  it('BIP 143: P2SH-P2WPKH, its digest', () => {
    const unsigned =
      '0100000001db6b1b20aa0fd7b23880be2ecbd4a98130974cf4748fb66092ac4d3ceb1a54770100000000feffffff02b8b4eb0b000000001976a914a457b684d7f0d539a46a45bbc043f35b59d0d96388ac0008af2f000000001976a914fd270b1ee6abcaea97fea7ad0402e8bd8ad6d77c88ac92040000'
    const code = bytes('76a91479091972186c449eb1ded22b78e40d009bdf008988ac')
    const digest = Transaction.fromRaw(bytes(unsigned)).preimageWitnessV0(0, code, SigHash.ALL, 10n ** 9n)
    expect(hexOf(digest)).toBe('64f3b0f4dd2bb3aa1ce8566d220cc74dda9df97d8490cc81d89d735c92e59fb6')
  })
})
