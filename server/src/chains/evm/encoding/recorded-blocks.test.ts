/** Blocks and transactions that nodes of other networks reported, as public repositories recorded them. */
import { keccak256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { NodeError } from '../../port.ts'
import { readHeader } from '../answers.ts'
import { requireProven } from './block-proof.ts'
import { encodeTransaction, signerOfTransaction } from './transaction-bytes.ts'
import { transactionType } from './transaction-types.ts'

const word = (hex: string) => `0x${hex.padStart(64, '0')}`
const emptyBloom = `0x${'0'.repeat(512)}`
const depositor = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001'
const l1Block = '0x4200000000000000000000000000000000000015'
const noUncles = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
/** The root of an empty trie, which a block without atomic transactions states as the hash of its extra data. */
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** Block 8381743 of OP Goerli, from `HeadInfoTest.java` of optimism-java/hildr. Its only transaction is a deposit. */
const goerli = {
  hash: '0x2e4f4aff36bb7951be9742ad349fb1db84643c6bbac5014f3d196fd88fe333eb',
  parentHash: '0xeccf4c06ad0d27be1cadee5720a509d31a9de0462b52f2cf6045d9a73c9aa504',
  sha3Uncles: noUncles,
  miner: '0x4200000000000000000000000000000000000011',
  stateRoot: '0x5905b2423f299a29db41e377d7ceadf4baa49eed04e1b72957e8c0985e04e730',
  transactionsRoot: '0x030e481411042a769edde83d790d583ed69f9d3098d4a78d00e008f749fcfd97',
  receiptsRoot: '0x29079b696c12a19999f3bb303fddb6fc12fb701f427678cca24954b91080ada3',
  number: '0x7fe52f',
  gasUsed: '0xb711',
  gasLimit: '0x17d7840',
  extraData: '0x',
  logsBloom: emptyBloom,
  timestamp: '0x644434c2',
  difficulty: '0x0',
  mixHash: '0x7aeec5550a9b0616701e49ab835af5f10eadba2a0582016f0e256c9cace0c046',
  nonce: '0x0000000000000000',
  baseFeePerGas: '0x32',
  transactions: [
    {
      hash: '0x661df2908a63c9701ef4f9bc1d62432f08cbdc8c6fe6012af49405c00de5f69d',
      nonce: '0x41ed06',
      from: depositor,
      to: l1Block,
      value: '0x0',
      gasPrice: '0x0',
      gas: '0xf4240',
      input:
        '0x015d8eb900000000000000000000000000000000000000000000000000000000008768240000000000000000000000000000000000000000000000000000000064443450000000000000000000000000000000000000000000000000000000000000000e0444c991c5fe1d7291ff34b3f5c3b44ee861f021396d33ba3255b83df30e357d00000000000000000000000000000000000000000000000000000000000000050000000000000000000000007431310e026b69bfc676c0013e12a1a11411eec9000000000000000000000000000000000000000000000000000000000000083400000000000000000000000000000000000000000000000000000000000f4240',
      v: '0x0',
      r: '0x0',
      s: '0x0',
      type: '0x7e',
      mint: '0x0',
      sourceHash: '0x34ad504eea583add76d3b9d249965356ef6ca344d6766644c929357331bb0dc9',
    },
  ],
}
/** The receipt follows from the header: the block has one transaction and no logs, and used this much gas. */
const goerliReceipt = {
  type: '0x7e',
  status: '0x1',
  cumulativeGasUsed: '0xb711',
  logsBloom: emptyBloom,
  logs: [],
  depositNonce: '0x41ed06',
}

function prove(answer: object, receipts: readonly object[]): void {
  const header = readHeader(answer)
  if (header === undefined) throw new Error('no block')
  requireProven(header, answer, receipts)
}

describe('a recorded block of OP Goerli with a deposit', () => {
  it('is proven by its hash and roots', () => {
    expect(() => prove(goerli, [goerliReceipt])).not.toThrow()
  })

  it('is refused with another amount, mint or status of the deposit', () => {
    const [deposit] = goerli.transactions
    for (const change of [{ value: '0x1' }, { mint: '0x1' }, { isSystemTx: true }, { type: '0x2' }])
      expect(() => prove({ ...goerli, transactions: [{ ...deposit, ...change }] }, [goerliReceipt])).toThrow(
        NodeError,
      )
    expect(() => prove(goerli, [{ ...goerliReceipt, status: '0x0' }])).toThrow(/receipts .* do not match/)
    expect(() => prove(goerli, [{ ...goerliReceipt, depositReceiptVersion: '0x1' }])).toThrow(
      /receipts .* do not match/,
    )
  })
})

/** Block 5760288 of Avalanche's C-Chain, without its transactions. */
const avalanche = {
  baseFeePerGas: '0x5d21dba00',
  blockExtraData: '0x',
  blockGasCost: '0x0',
  difficulty: '0x1',
  extDataGasUsed: '0x0',
  extDataHash: emptyRoot,
  extraData:
    '0x000000000000000000000000000a206f0000000000000000000000000009971e000000000009a8fb00000000000e50a50000000000000000000000000000000000000000000000000000000000000000',
  gasLimit: '0x7a1200',
  gasUsed: '0x7a1b9',
  hash: '0xec8148b1712a372e6ab418358ed0cf2051a1f04f80e6a4f77f352d2ab2f9338a',
  logsBloom:
    '0x00200400001020040002000080000000400000000000000020400100000000000000000000000000004000000080010000000000200000002000000000200000000080000200000000004008410000220040000000400000000000000000000000000000020004000000000100024800010000000000840000000030800004000000000000010000000002008000000000000080100010080004004000000810020000002000000002000000000000008080000000000000000001000000010040100802010020001008000000000000000000000000001420000002000020000010141000000000000000001008000800002008000000200000000000000000',
  miner: '0x0100000000000000000000000000000000000000',
  mixHash: word(''),
  nonce: '0x0000000000000000',
  number: '0x57e520',
  parentHash: '0x7dc8ef36dbac74134798b78406ccce73f926b35a7d11ca22029672bd9d84cd3d',
  receiptsRoot: '0x8b2a08f91826aa3201bbf866a8588080dde8aaeb448caf9c6035b5c0b8f593b1',
  sha3Uncles: noUncles,
  stateRoot: '0xfb149ac2f5fc1d9159964d9de2e1ae30b3608273fff78fcc8fb15c1b76a47625',
  timestamp: '0x616c6f77',
  totalDifficulty: '0x57e520',
  transactions: [],
  transactionsRoot: '0x002cb0567dccea3f36059008cbf1dd5d25a52bbf4abde4eb4b58db9a26cd2ca4',
}

/** `TestHeaderRLP` of ava-labs/coreth, `plugin/evm/customtypes/header_ext_test.go`: each field has its number. */
const granite = (() => {
  const start = (hex: string, bytes: number) => `0x${hex.padEnd(bytes * 2, '0')}`
  return {
    hash: '0xbe13d7b6f1242dd87477eee76a46f9fa58311bf459e0d49cac6862b187b3fe9c',
    parentHash: start('01', 32),
    sha3Uncles: start('02', 32),
    miner: start('03', 20),
    stateRoot: start('04', 32),
    transactionsRoot: start('05', 32),
    receiptsRoot: start('06', 32),
    logsBloom: start('07', 256),
    difficulty: '0x8',
    number: '0x9',
    gasLimit: '0xa',
    gasUsed: '0xb',
    timestamp: '0xc',
    extraData: '0x0d',
    mixHash: start('0e', 32),
    nonce: start('0f', 8),
    baseFeePerGas: '0x10',
    blobGasUsed: '0x12',
    excessBlobGas: '0x13',
    parentBeaconBlockRoot: start('14', 32),
    extDataHash: start('15', 32),
    extDataGasUsed: '0x16',
    blockGasCost: '0x17',
    timestampMilliseconds: '0x18',
    minDelayExcess: '0x19',
    transactions: [],
  }
})()

/** Block 511882413 of Arbitrum One (October 2026), without its transactions. */
const arbitrum = {
  baseFeePerGas: '0x1312d00',
  difficulty: '0x1',
  extraData: '0x5415fe5b5fa72ff4ecaf578e7346f9ef8942c832a0f5564f05d8511e3576b334',
  gasLimit: '0x4000000000000',
  gasUsed: '0x3d721',
  hash: '0x9f2a4542dcd73b3b7312c2b57ebf79e61dbcd36906c7e8ed500f56ea199fa803',
  l1BlockNumber: '0x18ea3d7',
  logsBloom:
    '0x00001000000000000000000008000000000000000004000000000000000000000000000000000000000080000000000000080201000020100000000000000000000000000200000840000408000000000000000010000040002000000000000000800000000000000000000004100000000000000000000000000012000800000000000000000000000000000001000000000400000000000000001000000000000000000000000000000000000004000000000200000000008000000000000000002002000040200000000000000000000000000000000000000000000000000000200000000000000000000000200000000000000000000000000020000000',
  miner: '0xa4b000000000000000000073657175656e636572',
  mixHash: '0x0000000000028aef00000000018ea3d7000000000000003d0001000000000000',
  nonce: '0x00000000002770e4',
  number: '0x1e82b4ad',
  parentHash: '0xa31635fa277ca0ea0481d09fc59d1ca55b84b2a12e6c04384ce7532962b8b698',
  receiptsRoot: '0x4bbc51c714c0499f97f4a4473864495eff600e521f9848f47a935b6c6422d82f',
  sendCount: '0x28aef',
  sendRoot: '0x5415fe5b5fa72ff4ecaf578e7346f9ef8942c832a0f5564f05d8511e3576b334',
  sha3Uncles: noUncles,
  stateRoot: '0x0af9d8afcffe1a8edabe67d676b274dc5642ccfbe938b935cab5a245bfc4b2da',
  timestamp: '0x6ac36dbd',
  transactions: [],
  transactionsRoot: '0x21cd50773adc2f667e9862eb9da63da3644a0c3631931681d00972a7ef350e74',
}

// The transactions are left out, so that the root of the transactions is the first that does not match.
describe.each([
  ["of Avalanche's C-Chain", avalanche],
  ['of Avalanche since Granite', granite],
  ['of Arbitrum One', arbitrum],
])('a recorded header %s', (_, header) => {
  it('has its hash', () => {
    expect(() => prove(header, [])).toThrow(/transactions of block .* do not match the root/)
  })

  it('is refused with another value of a field, and with a field that it does not have', () => {
    for (const change of [{ blockGasCost: '0x5' }, { extDataHash: word('1') }, { mixHash: word('1') }])
      expect(() => prove({ ...header, ...change }, [])).toThrow(/does not have that hash/)
  })
})

const arbitrumDev = '0x64aba'
const retryHash = '0xcfb3f4f75e092c28579f5b536c8919d63b823bf487c2c946ae8ad539ed2a971d'
const sender = '0xdd6bd74674c356345db88c354491c7d3173c6806'
const payee = '0x3fab184622dc19b6109349b94811493bf2a45362'
const beneficiary = '0x93b4c114b40ecf1fc34745400a1b9b9115c34e42'

/** Transactions that no sender signed, with the fields that their hashes cover. */
const unsigned: readonly [string, Readonly<Record<string, unknown>>, readonly string[]][] = [
  [
    'a deposit with attributes of Jovian, OP Mainnet block 151539208',
    {
      hash: '0x8298e19f39ad1e9a2d670739614fafbbed1d5b3824319384f479168d2d8c8f95',
      type: '0x7e',
      sourceHash: '0xc912db3c7247e182b351c44e56b691ebcafbc8ada96c394ee5f5aa65d90b930e',
      from: depositor,
      to: l1Block,
      gas: '0xf4240',
      value: '0x0',
      mint: '0x0',
      input:
        '0x3db6be2b0000146b000f79c50000000000000003000000006a04756f00000000017ec99d0000000000000000000000000000000000000000000000000000000020017d620000000000000000000000000000000000000000000000000000000001d918f3af6d6abe101cdf792f420a962b62de02ba52726b1d21f5b9d43aff3c572b27cf0000000000000000000000006887246668a3b87f54deb3b94ba47a6f63f329850000000000000000000000000190',
      nonce: '0x2c28b94',
    },
    ['from', 'value', 'mint', 'gas'],
  ],
  [
    "a deposit of a user's ether on an OP stack chain",
    {
      hash: '0xb41fd72d60425a9d836d9307b6afcd8b8b217c6fe4f09d9cf7bbe155944069a2',
      type: '0x7e',
      sourceHash: '0x405ed121ccc1cd47773fbe0ef8e14b8d00acf028ac83145da72e5b6d4002efcf',
      from: '0x481c965e6579099f005387b4c1d7fb03bc302f4b',
      to: '0x03a858395f1a6cd22e2b4d31139794aab58c5d4d',
      gas: '0xcf850',
      value: '0xde0b6b3a7640000',
      mint: '0xde0b6b3a7640000',
      input: '0x',
      nonce: '0x2',
    },
    ['from', 'to', 'value', 'mint'],
  ],
  [
    'an internal transaction of Arbitrum One block 408889830',
    {
      hash: '0x61d48ab94f7fccf48f4baa3903781053f932feb466474c037736e910d7ca2afe',
      type: '0x6a',
      chainId: '0xa4b1',
      from: '0x00000000000000000000000000000000000a4b05',
      to: '0x00000000000000000000000000000000000a4b05',
      gas: '0x0',
      value: '0x0',
      input:
        '0x6bf6a42d000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000016ddb2700000000000000000000000000000000000000000000000000000000185f29e60000000000000000000000000000000000000000000000000000000000000000',
      nonce: '0x0',
    },
    ['chainId'],
  ],
  // The three below are from `TxDecoderTests.cs` of NethermindEth/nethermind-arbitrum.
  [
    'a deposit of Arbitrum',
    {
      hash: '0x38132c766a25034f7805a2f47c1bd4b23a97b979cf7b52bdcf29972c2e13f1e6',
      type: '0x64',
      chainId: arbitrumDev,
      requestId: word('9'),
      from: '0x502fae7d46d88f08fc2f8ed27fcb2ab183eb3e1f',
      to: '0x3f1eae7d46d88f08fc2f8ed27fcb2ab183eb2d0e',
      value: '0x152d02c7e14af6800000',
      gas: '0x0',
      input: '0x',
    },
    ['requestId', 'from', 'to', 'value'],
  ],
  [
    'a retryable ticket of Arbitrum',
    {
      hash: retryHash,
      type: '0x69',
      chainId: arbitrumDev,
      requestId: word('1'),
      from: sender,
      l1BaseFee: '0x27',
      depositValue: '0x239a0be14c2548',
      maxFeePerGas: '0x3b9aca00',
      gas: '0x5208',
      retryTo: payee,
      retryValue: '0x2386f26fc10000',
      beneficiary,
      maxSubmissionFee: '0xd548',
      refundTo: beneficiary,
      retryData: '0x',
      to: '0x000000000000000000000000000000000000006e',
      value: '0x0',
    },
    ['from', 'depositValue', 'retryTo', 'retryValue', 'refundTo'],
  ],
  [
    'the redemption of a ticket of Arbitrum',
    {
      hash: '0xf2df0912b3d8b8e41d4d88fae405def3a64ae0ef1a229d1b517ef2f5c07e2c15',
      type: '0x68',
      chainId: arbitrumDev,
      nonce: '0x0',
      from: sender,
      gasPrice: '0x5f5e100',
      gas: '0x5208',
      to: payee,
      value: '0x2386f26fc10000',
      input: '0x',
      ticketId: retryHash,
      refundTo: beneficiary,
      maxRefund: '0x1e8f1c1dd48',
      submissionFeeRefund: '0xd548',
    },
    ['from', 'to', 'value', 'ticketId', 'maxRefund'],
  ],
]

describe.each(unsigned)('recorded: %s', (_, transaction, covered) => {
  it('has its hash, and its sender authorised it if it pays', () => {
    expect(keccak256(`0x${encodeTransaction(transaction)}`)).toBe(transaction['hash'])
    const authorised = transactionType(transaction['type']).pays ? transaction['from'] : undefined
    expect(signerOfTransaction(transaction)).toBe(authorised)
    expect(signerOfTransaction({ ...transaction, v: '0x0', r: '0x0', s: '0x0' })).toBe(authorised)
  })

  it('is refused if a field that its hash covers is reported otherwise', () => {
    for (const name of covered) {
      const value = String(transaction[name])
      const last = value.endsWith('1') ? '2' : '1'
      expect(() => encodeTransaction({ ...transaction, [name]: `${value.slice(0, -1)}${last}` })).toThrow(
        /does not have that hash/,
      )
    }
  })
})
