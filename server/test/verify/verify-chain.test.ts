import sql from 'sql-template-tag'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type AccountSender,
  type BlockFacts,
  type BlockRef,
  type ChainReader,
  NodeError,
  type TransactionLookup,
  type TransactionReceipt,
  type Transfer,
  type TransferAsset,
} from '../../src/chains/port.ts'
import { newId } from '../../src/core/ids.ts'
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import type { ComparedChain } from '../../src/oversight/verify/invariant.ts'
import { verify } from '../../src/oversight/verify/verify.ts'
import { inTransaction } from '../../src/platform/db/transaction.ts'
import { insertOutgoingTransaction } from '../support/outgoing-transactions.ts'
import {
  addressOf,
  hotWalletAddress,
  methods,
  outside,
  paid,
  payments,
  useSealedBooks,
} from './healthy-books.ts'

const database = useSealedBooks()

/** Returns a node that has exactly what the healthy books contain, except for the changes of a test. */
function node(changes: Partial<ChainReader> = {}): ChainReader {
  const unused = () => Promise.reject(new Error('verify does not ask this'))
  return {
    network: 'ethereum',
    traits: { family: 'evm', hasContracts: true, seesInternalTransfers: true, hasOutpoints: false },
    checkIdentity: unused,
    readHead: unused,
    readFinalHeight: unused,
    readBlock: async (height) => blockOf(height),
    requireSuccess: unused,
    readTransaction: async (txHash) => (txHash === paid.txHash ? arrived() : { type: 'unknown' }),
    readHeader: async (height) => header(height, `0xb10c${height}`),
    readBalances: async (asset, addresses) => addresses.map((address) => balanceOf(asset, address)),
    watchHeads: () => {},
    close: async () => {},
    ...changes,
  }
}

/**
 * Returns the block at `height`, as a chain that agrees with the healthy books would report it. Deposit
 * number n is in block n.
 */
function blockOf(height: number): BlockFacts {
  const transfers = payments
    .filter(({ number }) => number === height)
    .map(({ number, methodId, amountMinor }): Transfer => {
      const contract = methods.byId(methodId)?.contract
      const asset =
        contract === undefined ? ({ type: 'coin' } as const) : { type: 'token' as const, contract }
      const moved = { recipient: addressOf(number), amountMinor, sender: undefined }
      return { key: `0x${number}:0`, txHash: `0x${number}`, asset, ...moved }
    })
  return { block: header(height, `0xb10c${height}`), transfers }
}

/** Returns the transfer of the only completed withdrawal in the healthy books, as the chain reports it. */
function arrived(over: Partial<Transfer> = {}): TransactionLookup {
  const usdt = { type: 'token' as const, contract: methods.byId(1)?.contract ?? '' }
  const paid = { ...sentBy(hotWalletAddress, outside, withdrawnMinor), asset: usdt, ...over }
  return { type: 'mined', block: header(4, '0xb10c4'), transfers: [paid] }
}

/** Returns a sender with these receipts and nonces. Without nonces, the one hot wallet has sent 1. */
function sending(
  receipts: readonly TransactionReceipt[] = [],
  nonces: Readonly<Record<string, number>> = {},
): Pick<AccountSender, 'readReceipts' | 'readNonces'> {
  const counts: Readonly<Record<string, number>> = { [hotWalletAddress]: 1, ...nonces }
  return {
    readReceipts: async (hashes) => hashes.map((hash) => receipts.find(({ txHash }) => txHash === hash)),
    readNonces: async (addresses) => addresses.map((address) => counts[address] ?? 0),
  }
}

/** The amount of the only completed withdrawal in the healthy books. */
const withdrawnMinor = 9_800_000n

/** Returns a node on which one address has `offMinor` more of the coin than it was paid. */
function withCoin(number: number, offMinor: bigint): ChainReader {
  const isOff = (asset: TransferAsset, address: string) =>
    asset.type === 'coin' && address === addressOf(number)
  return node({
    readBalances: async (asset, addresses) =>
      addresses.map((address) => balanceOf(asset, address) + (isOff(asset, address) ? offMinor : 0n)),
  })
}

function header(height: number, hash: string): BlockRef {
  return { height, hash, parentHash: '', minedAt: new Date(0) }
}

function balanceOf(asset: TransferAsset, address: string): bigint {
  const contract = asset.type === 'token' ? asset.contract : undefined
  const payment = payments.find(({ number }) => addressOf(number) === address)
  const isOfAsset = payment !== undefined && methods.byId(payment.methodId)?.contract === contract
  if (!isOfAsset) return 0n
  return payment.number === 1 ? payment.amountMinor - withdrawnMinor : payment.amountMinor
}

function sentBy(sender: string, recipient: string, amountMinor: bigint): Transfer {
  return { key: `${recipient}:0`, txHash: '', asset: { type: 'coin' }, sender, recipient, amountMinor }
}

/**
 * Inserts a hot wallet with 100 of capital, and for each hash a transaction in block 9. The network fee of
 * the first transaction is 3, that of the second is 2, and so on.
 */
async function insertOutgoingTransactions(hotWallet: string, txHashes: readonly string[]): Promise<void> {
  const asset = 'ethereum/ETH'
  const lines = [debit({ name: 'custody', asset }, 100n), credit({ name: 'capital', asset }, 100n)]
  await inTransaction(database.db, (tx) => post(tx, [journal({ kind: 'test', subject: 'test:lane', lines })]))
  await database.owner.query(
    sql`insert into hot_wallet (network, index, address) values ('ethereum', 1, ${hotWallet})`,
  )
  for (const [nonce, txHash] of txHashes.entries()) {
    await insertOutgoingTransaction(database.owner, {
      id: newId(),
      intent: { kind: 'top_up', deposit: { type: 'deposit', branch: 1, index: 1 }, amountMinor: 7n },
      wallet: hotWallet,
      nonce,
      state: 'included',
      txHash,
      inclusion: { height: 9, blockHash: '0xb10c9', isSuccess: nonce === 0, feeMinor: BigInt(3 - nonce) },
    })
  }
}

/** Returns the findings of verify about the chain, by invariant. */
async function outcomes(
  reader: ChainReader,
  sender: ComparedChain['sender'] = sending(),
): Promise<Record<string, unknown>> {
  const { entries } = await verify({ db: database.db, methods, chains: [{ reader, sender }] })
  const ofChain = entries.filter(({ id }) => id === 'M8' || id.endsWith('-chain'))
  return Object.fromEntries(
    ofChain.map(({ id, examined, findings, skipped }) => [
      id,
      skipped ?? (findings.length > 0 ? findings : examined),
    ]),
  )
}

describe('verify with a node', () => {
  it('finds nothing if the chain holds what the books say', async () => {
    expect(await outcomes(node())).toEqual({
      M8: 40,
      'M9-chain': 4,
      'M10-chain': 1,
      'M19-chain': 1,
      'M18-chain': 5,
      'M7-chain': 10,
    })
  })

  it('finds a single missing unit', async () => {
    expect(await outcomes(withCoin(2, -1n))).toMatchObject({
      M8: [
        '1 ethereum/ETH are missing: the books say 1000000000123456789, 8 addresses at block 9 hold 1000000000123456788',
      ],
    })
  })

  it('reports money that came without a transaction, and reports no violation that an outsider could cause', async () => {
    const { ok, entries } = await verify({
      db: database.db,
      methods,
      chains: [{ reader: withCoin(2, 5n), sender: sending() }],
    })
    const custody = entries.find(({ id }) => id === 'M8')
    expect(custody).toMatchObject({
      ok: true,
      findings: [],
      remarks: ['unattributed: 8 addresses at block 9 hold 5 ethereum/ETH more than the books say'],
    })
    expect(ok).toBe(true)
  })

  it("finds a final block that is not the chain's", async () => {
    const other = node({
      readHeader: async (height) => header(height, height === 3 ? '0xother' : `0xb10c${height}`),
    })
    expect(await outcomes(other)).toMatchObject({
      'M18-chain': ['block 3 is 0xb10c3 here and 0xother at the node'],
    })
  })

  it('accepts a reorganisation above the final height, and compares no balances across it', async () => {
    const other = node({
      readHeader: async (height) => header(height, height > 5 ? '0xother' : `0xb10c${height}`),
    })
    expect(await outcomes(other)).toEqual({
      M8: expect.stringContaining('another branch'),
      'M9-chain': 4,
      'M10-chain': 1,
      'M19-chain': expect.stringContaining('another branch'),
      'M18-chain': 5,
      'M7-chain': expect.stringContaining('another branch'),
    })
  })

  it('fails if the node does not answer, because unchecked books do not count as correct', async () => {
    const silent = node({ readHeader: () => Promise.reject(new NodeError('away')) })
    const report = await verify({ db: database.db, methods, chains: [{ reader: silent, sender: sending() }] })
    expect(report.ok).toBe(false)
    expect(report.entries.at(-1)?.findings).toEqual(['the node did not answer: away'])
  })

  it('queries the node only after its own transaction has ended', async () => {
    const open: unknown[] = []
    const watching = node({
      readHeader: async (height) => {
        open.push(
          ...(await database.db.query(sql`
            select from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%'`)),
        )
        return header(height, `0xb10c${height}`)
      },
    })
    await outcomes(watching)
    expect(open).toEqual([])
  })

  describe('with transactions of ours that are mined and not booked', () => {
    const hotWallet = '0xlane'
    const paid = '0xmoved'
    const failed = '0xfailed'
    const receipts: readonly TransactionReceipt[] = [
      { txHash: paid, height: 9, blockHash: '0xb10c9', isSuccess: true, feeMinor: 3n },
      { txHash: failed, height: 9, blockHash: '0xb10c9', isSuccess: false, feeMinor: 2n },
    ]
    const mined: BlockFacts = {
      block: header(9, '0xb10c9'),
      transfers: [sentBy(hotWallet, outside, 20n), sentBy(hotWallet, addressOf(1), 7n)].map((transfer) => ({
        ...transfer,
        txHash: paid,
      })),
    }
    const there = (leftMinor: bigint) =>
      node({
        readBalances: async (asset, addresses) =>
          addresses.map((address) =>
            asset.type === 'coin' && address === hotWallet ? leftMinor : balanceOf(asset, address),
          ),
        readBlock: async (height) => (height === 9 ? mined : blockOf(height)),
      })
    const left = 100n - 3n - 2n - 20n
    beforeAll(() => insertOutgoingTransactions(hotWallet, [paid, failed]))

    describe.each(['included', 'broadcast', 'signed'])('%s by the books', (state) => {
      beforeAll(async () => {
        if (state === 'included') return
        await database.owner.query(sql`
          update outgoing_transaction set state = ${state}, included_tx_hash = null, included_height = null,
            included_block_hash = null, is_success = null, fee_minor = null
          from outgoing_evm where id = outgoing_transaction_id and wallet = ${hotWallet}`)
      })

      it('counts the amounts that they moved, their fees and those of failed ones, exactly', async () => {
        const sender = sending(receipts, { [hotWallet]: 2 })
        expect(await outcomes(there(left), sender)).toEqual({
          M8: 45,
          'M9-chain': 4,
          'M10-chain': 1,
          'M19-chain': 2,
          'M18-chain': 5,
          'M7-chain': 10,
        })
        expect(await outcomes(there(left - 1n), sender)).toMatchObject({
          M8: [expect.stringMatching(/^1 ethereum.ETH are missing/)],
        })
      })

      it('leaves out transactions in a block above the cursor', async () => {
        const above = receipts.map((receipt) => ({ ...receipt, height: 10 }))
        expect(await outcomes(there(100n), sending(above))).toMatchObject({ M8: 45, 'M19-chain': 2 })
      })

      it('does not trust a node that reported its next block once, while it was adding it', async () => {
        const counts = [3, 2]
        const sender = sending(receipts, { [hotWallet]: 2 })
        const racing = {
          ...sender,
          readNonces: async (addresses: readonly string[]) => {
            const reportedForHotWallet = counts.shift() ?? 2
            return addresses.map((address) => (address === hotWallet ? reportedForHotWallet : 1))
          },
        }
        expect(await outcomes(there(left), racing)).toMatchObject({ 'M19-chain': 2 })
        expect(counts).toEqual([])
      })

      it('finds a nonce that none of our transactions used', async () => {
        expect(await outcomes(there(left), sending(receipts, { [hotWallet]: 3 }))).toMatchObject({
          'M19-chain': ['at block 9 0xlane has sent 3 transactions by the node, 2 by the books'],
        })
      })
    })

    it('finds a node that contradicts its own receipts', async () => {
      const elsewhere = receipts.map((receipt) => ({ ...receipt, blockHash: '0xother' }))
      expect(await outcomes(there(left), sending(elsewhere, { [hotWallet]: 2 }))).toMatchObject({
        M8: [expect.stringContaining('the receipt of 0xmoved names block 0xother')],
      })
    })
  })

  it.each<[string, Partial<Transfer>, string]>([
    ['of another amount', { amountMinor: 1n }, 'the chain moved 1, not 100000000'],
    ['to another address', { recipient: '0xother' }, `the chain moved it to 0xother, not to ${addressOf(1)}`],
    ['of another asset', { asset: { type: 'coin' } }, 'the chain moved coin, not ethereum/USDT'],
    ['in another transaction', { txHash: '0xother' }, 'the chain moved it in 0xother, not in 0x1'],
    ['that the chain does not have', { key: '0xother:0' }, 'its block has no such transfer'],
  ])('finds a deposit %s', async (_, change, error) => {
    const changed = (facts: BlockFacts) => ({
      ...facts,
      transfers: facts.transfers.map((one) => (one.txHash === '0x1' ? { ...one, ...change } : one)),
    })
    const reader = node({ readBlock: async (height) => changed(blockOf(height)) })
    expect((await outcomes(reader))['M9-chain']).toEqual([expect.stringContaining(error)])
  })

  it('finds a hot wallet that sent less than is final', async () => {
    expect(await outcomes(node(), sending([], { [hotWalletAddress]: 0 }))).toMatchObject({
      'M19-chain': [`at block 9 ${hotWalletAddress} has sent 0 transactions by the node, 1 by the books`],
    })
  })

  it('compares a wallet that sent transactions and is no longer a hot wallet', async () => {
    const [wallet] = await database.owner.query(sql`delete from hot_wallet returning *`)
    try {
      expect(await outcomes(node(), sending([], { [hotWalletAddress]: 0 }))).toMatchObject({
        'M19-chain': [`at block 9 ${hotWalletAddress} has sent 0 transactions by the node, 1 by the books`],
      })
    } finally {
      await database.owner.query(
        sql`insert into hot_wallet select * from jsonb_populate_record(null::hot_wallet, ${JSON.stringify(wallet)})`,
      )
    }
  })

  it('keeps its findings if the node changes its branch before the second comparison', async () => {
    const sender = sending([], { [hotWalletAddress]: 0 })
    let headersSinceNonces = Number.NaN
    const counted = {
      ...sender,
      readNonces: (...asked: Parameters<typeof sender.readNonces>) => {
        headersSinceNonces = 0
        return sender.readNonces(...asked)
      },
    }
    const leaving = node({
      readHeader: async (height) => {
        headersSinceNonces += 1
        return header(height, headersSinceNonces > 1 ? '0xother' : `0xb10c${height}`)
      },
    })
    expect(await outcomes(leaving, counted)).toMatchObject({
      'M19-chain': [expect.stringContaining('has sent 0 transactions')],
    })
  })

  it.each<[string, TransactionLookup]>([
    ['another recipient', arrived({ recipient: '0xthief' })],
    ['another amount', arrived({ amountMinor: withdrawnMinor - 1n })],
    ['another asset', arrived({ asset: { type: 'coin' } })],
    ['another sender', arrived({ sender: '0xsomebody' })],
    ['nothing', { type: 'failed', height: 4 }],
    ['what no node knows', { type: 'unknown' }],
  ])('finds a completed withdrawal whose transaction moved %s', async (_, moved) => {
    expect(await outcomes(node({ readTransaction: async () => moved }))).toMatchObject({
      'M10-chain': [expect.stringContaining(`9800000 ethereum/USDT to ${outside} by ${paid.txHash}, which`)],
    })
  })

  it('finds one transaction that two completed withdrawals name', async () => {
    await database.owner.query(sql`
      update withdrawal set state = 'completed', stage = null, tx_hash = ${paid.txHash}, ended_at = now()
      where state = 'failed'`)
    expect(await outcomes(node())).toMatchObject({
      'M10-chain': [expect.stringContaining('which moved something else')],
    })
  })

  it('does not report as correct what no node confirmed', async () => {
    const silent = node({ readTransaction: () => Promise.reject(new NodeError('pruned')) })
    expect(await outcomes(silent)).toMatchObject({
      'M10-chain': [
        expect.stringContaining(`the node did not answer: ${paid.txHash} could not be compared: pruned`),
      ],
    })
  })
})
