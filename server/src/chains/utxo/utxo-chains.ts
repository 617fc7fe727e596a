/**
 * The parameters of the UTXO chains: how their addresses, keys and nodes differ. The values are from
 * `chainparams.cpp` and the dust rules of Bitcoin Core 28, Litecoin Core 0.21.5 and Dogecoin Core 1.14.9.
 * Coin types are from SLIP-44, the versions of extended keys from SLIP-132.
 */
export interface UtxoChain {
  readonly kind: 'main' | 'test' | 'regtest'
  /** Identifies the chain, because each chain has its own genesis block. */
  readonly genesisHash: string
  /** Human-readable part of SegWit addresses (BIP 173); undefined if the chain has no SegWit. */
  readonly bech32: string | undefined
  /** Prefix of addresses in Litecoin's extension block (MWEB), which ordinary outputs cannot pay. */
  readonly mweb: string | undefined
  /** Version byte of base58 addresses of public keys (P2PKH); `scriptHash` is that of scripts (P2SH). */
  readonly pubKeyHash: number
  readonly scriptHash: number
  /**
   * Older version byte of P2SH addresses. Coffer rejects addresses with this byte, because another coin uses
   * it too.
   */
  readonly sharedScriptHash: number | undefined
  /** The coin's number in BIP 44 derivation paths; 1 on every test chain. */
  readonly coinType: number
  /** Version bytes of extended public keys that are accepted as account keys. */
  readonly xpubVersions: readonly number[]
  /** Number of confirmations after which a coinbase can be spent. Its own block is the first confirmation. */
  readonly coinbaseConfirmations: number
  /** The output of a peg-out (MWEB) can be spent from this many confirmations on. Its own block counts as the first. */
  readonly pegOutConfirmations: number
  /** The oldest version of the node software that is trusted, as a number in the nodes' own format. */
  readonly nodeVersionMin: number
  /**
   * Minimum amount of an output that is not dust, for every common type of address. Nodes may not relay a
   * transaction with a smaller output.
   */
  readonly dustMinor: bigint
  /** The usual fee for 1,000 virtual bytes on an ordinary day, in the coin's smallest unit. */
  readonly usualFeeRate: bigint
  /** The maximum fee rate of transactions of ours, for 1,000 virtual bytes. */
  readonly feeRateMax: bigint
  /**
   * Whether nodes in their default configuration replace a transaction in the mempool by another with a
   * higher fee (BIP 125).
   */
  readonly canReplace: boolean
  /** Whether nodes can search their UTXO set for an address (`scantxoutset`, from Core 0.17 on). */
  readonly canScan: boolean
  /**
   * Whether the proof of work may be in another chain's block (merged mining). Nodes then send that proof of
   * work along with the block.
   */
  readonly hasAuxPow: boolean
  /** Whether nodes are based on Core before 0.19, whose `sendrawtransaction` takes no maximum fee rate. */
  readonly isLegacyCore: boolean
}

/**
 * Version bytes of extended keys, from BIP 32 and from SLIP-132. `coinVersions` are from the coins' wallets.
 */
const versions = { xpub: 0x0488b21e, tpub: 0x043587cf, zpub: 0x04b24746, vpub: 0x045f1cf6 }
const coinVersions = { ltub: 0x019da462, ttub: 0x0436f6e1, dgub: 0x02facafd }

const usual = {
  coinbaseConfirmations: 100,
  pegOutConfirmations: 24,
  nodeVersionMin: 0,
  canScan: true,
  hasAuxPow: false,
  isLegacyCore: false,
}
const bitcoin = {
  ...usual,
  mweb: undefined,
  sharedScriptHash: undefined,
  dustMinor: 546n,
  usualFeeRate: 10_000n,
  feeRateMax: 1_000_000n,
  canReplace: true,
}
const bitcoinTest = { ...bitcoin, pubKeyHash: 0x6f, scriptHash: 0xc4, coinType: 1 }
const litecoin = {
  ...usual,
  dustMinor: 5_460n,
  usualFeeRate: 10_000n,
  feeRateMax: 2_000_000n,
  canReplace: false,
}
const litecoinTest = { ...litecoin, pubKeyHash: 0x6f, scriptHash: 0x3a, sharedScriptHash: 0xc4, coinType: 1 }
const dogecoin = {
  ...usual,
  coinbaseConfirmations: 240,
  bech32: undefined,
  mweb: undefined,
  sharedScriptHash: undefined,
  dustMinor: 1_000_000n,
  usualFeeRate: 1_000_000n,
  feeRateMax: 100_000_000n,
  canReplace: false,
  canScan: false,
  hasAuxPow: true,
  isLegacyCore: true,
}
const testVersions = [versions.tpub, versions.vpub, versions.xpub, versions.zpub]

export const utxoChains = {
  bitcoin: {
    main: {
      ...bitcoin,
      kind: 'main',
      genesisHash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
      bech32: 'bc',
      pubKeyHash: 0x00,
      scriptHash: 0x05,
      coinType: 0,
      xpubVersions: [versions.xpub, versions.zpub],
    },
    test: {
      ...bitcoinTest,
      kind: 'test',
      genesisHash: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
      bech32: 'tb',
      xpubVersions: testVersions,
    },
    regtest: {
      ...bitcoinTest,
      kind: 'regtest',
      genesisHash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
      bech32: 'bcrt',
      xpubVersions: testVersions,
    },
  },
  litecoin: {
    main: {
      ...litecoin,
      kind: 'main',
      // Older versions accept invalid peg-outs, which were exploited for theft on 25 April 2026.
      nodeVersionMin: 210_505,
      genesisHash: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2',
      bech32: 'ltc',
      mweb: 'ltcmweb',
      pubKeyHash: 0x30,
      scriptHash: 0x32,
      sharedScriptHash: 0x05,
      coinType: 2,
      xpubVersions: [versions.xpub, versions.zpub, coinVersions.ltub],
    },
    test: {
      ...litecoinTest,
      kind: 'test',
      genesisHash: '4966625a4b2851d9fdee139e56211a0d88575f59ed816ff5e6a63deb4e3e29a0',
      bech32: 'tltc',
      mweb: 'tmweb',
      xpubVersions: [...testVersions, coinVersions.ttub],
    },
    regtest: {
      ...litecoinTest,
      kind: 'regtest',
      genesisHash: '530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9',
      bech32: 'rltc',
      mweb: 'tmweb',
      xpubVersions: [...testVersions, coinVersions.ttub],
    },
  },
  dogecoin: {
    main: {
      ...dogecoin,
      kind: 'main',
      genesisHash: '1a91e3dace36e2be3bf030a65679fe821aa1d6ef92e7c9902eb318182c355691',
      pubKeyHash: 0x1e,
      scriptHash: 0x16,
      coinType: 3,
      xpubVersions: [versions.xpub, coinVersions.dgub],
    },
    test: {
      ...dogecoin,
      kind: 'test',
      genesisHash: 'bb0a78264637406b6360aad926284d544d7049f45189db5664f3c4d07350559e',
      pubKeyHash: 0x71,
      scriptHash: 0xc4,
      coinType: 1,
      xpubVersions: [versions.tpub, versions.xpub],
    },
    regtest: {
      ...dogecoin,
      kind: 'regtest',
      genesisHash: '3d2160a3b5dc4a9d62e7e66a295f70313ac808440ef7400d6c0772171ce973a5',
      pubKeyHash: 0x6f,
      scriptHash: 0xc4,
      coinType: 1,
      xpubVersions: [versions.tpub, versions.xpub],
    },
  },
} as const satisfies Record<string, Record<UtxoChain['kind'], UtxoChain>>
