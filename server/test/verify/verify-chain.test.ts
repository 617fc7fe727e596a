import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import {
  type BlockRef,
  type ChainReader,
  NodeError,
  type Transfer,
  type TransferAsset,
} from '../../src/chains/port.ts'
import { newId } from '../../src/core/ids.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { credit, debit, journal } from '../../src/ledger/journal.ts'
import { post } from '../../src/ledger/post.ts'
import { verify } from '../../src/verify/verify.ts'
import { insertPayout } from '../support/payouts.ts'
import { addressOf, methods, payments, useSealedBooks } from './healthy-books.ts'

const database = useSealedBooks()

/** A node that has just what the healthy books say, but for what a test changes. */
function node(changes: Partial<ChainReader> = {}): ChainReader {
  const unused = () => Promise.reject(new Error('verify does not ask this'))
  return {
    network: 'ethereum',
    traits: { family: 'evm', seesInternalTransfers: true },
    checkIdentity: unused,
    readHead: unused,
    readFinalHeight: unused,
    readBlock: unused,
    requireSuccess: unused,
    readTransaction: unused,
    isListed: unused,
    readHeader: async (height) => header(height, `0xb10c${height}`),
    readBalances: async (asset, addresses) => addresses.map((address) => balanceOf(asset, address)),
    watchHeads: () => {},
    close: async () => {},
    ...changes,
  }
}

/** What the one completed withdrawal of the healthy books took. */
const withdrawnMinor = 9_800_000n

/** One address has `offMinor` more of the coin than it was paid. */
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

/** A lane with 100 of capital, and a payout for each hash that is in block 9 and cost 3, 2 and so on. */
async function insertPayouts(lane: string, txHashes: readonly string[]): Promise<void> {
  const asset = 'ethereum/ETH'
  const lines = [debit({ name: 'custody', asset }, 100n), credit({ name: 'capital', asset }, 100n)]
  await inTransaction(database.db, (tx) => post(tx, [journal({ kind: 'test', subject: 'test:lane', lines })]))
  await database.owner.query(
    sql`insert into hot_wallet (network, lane, address) values ('ethereum', 1, ${lane})`,
  )
  for (const [nonce, txHash] of txHashes.entries()) {
    await insertPayout(database.owner, {
      id: newId(),
      intent: { kind: 'top_up', deposit: { type: 'deposit', branch: 1, index: 1 }, amountMinor: 7n },
      wallet: lane,
      nonce,
      state: 'included',
      txHash,
      inclusion: { height: 9, blockHash: '0xb10c9', isSuccess: nonce === 0, feeMinor: BigInt(3 - nonce) },
    })
  }
}

/** What verify tells of the chain, by invariant. */
async function outcomes(reader: ChainReader): Promise<Record<string, unknown>> {
  const { entries } = await verify({ db: database.db, methods, chains: [reader] })
  const ofChain = entries.filter(({ id }) => id === 'M8' || id === 'M18-chain')
  return Object.fromEntries(
    ofChain.map(({ id, examined, findings, skipped }) => [
      id,
      skipped ?? (findings.length > 0 ? findings : examined),
    ]),
  )
}

describe('verify with a node', () => {
  it('finds nothing where the chain holds what the books say', async () => {
    expect(await outcomes(node())).toEqual({ M8: 24, 'M18-chain': 5 })
  })

  it('misses one unit that is not there', async () => {
    expect(await outcomes(withCoin(2, -1n))).toMatchObject({
      M8: [
        '1 ethereum/ETH are missing: the books say 1000000000123456789, 8 addresses at block 9 hold 1000000000123456788',
      ],
    })
  })

  it('tells what came without a transaction, and calls no breach what any outsider can bring about', async () => {
    const { ok, entries } = await verify({ db: database.db, methods, chains: [withCoin(2, 5n)] })
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

  it('finds nothing wrong with a reorganisation above the final height, and compares no balances across it', async () => {
    const other = node({
      readHeader: async (height) => header(height, height > 5 ? '0xother' : `0xb10c${height}`),
    })
    expect(await outcomes(other)).toEqual({
      M8: expect.stringContaining('another branch'),
      'M18-chain': 5,
    })
  })

  it('fails when the node does not answer: what was not looked at is not right', async () => {
    const silent = node({ readHeader: () => Promise.reject(new NodeError('away')) })
    const report = await verify({ db: database.db, methods, chains: [silent] })
    expect(report.ok).toBe(false)
    expect(report.entries.at(-1)?.findings).toEqual(['the node could not be asked: away'])
  })

  it('asks the node only when its own transaction is over', async () => {
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

  it('counts what a transaction of ours took away before it is booked, its fee and failed ones included', async () => {
    const [lane, paid, failed] = ['0xlane', '0xmoved', '0xfailed']
    await insertPayouts(lane, [paid, failed])
    const left = new Map([[lane, 100n - 3n - 2n - 20n]])
    const there = node({
      readBalances: async (asset, addresses) =>
        addresses.map((address) =>
          asset.type === 'coin'
            ? (left.get(address) ?? balanceOf(asset, address))
            : balanceOf(asset, address),
        ),
      readTransaction: async (txHash) =>
        txHash === failed
          ? { type: 'failed', height: 9 }
          : {
              type: 'mined',
              block: header(9, '0xb10c9'),
              transfers: [sentBy(lane, '0xout', 20n), sentBy(lane, addressOf(1), 7n)],
            },
    })
    expect(await outcomes(there)).toMatchObject({ M8: 27 })
    left.set(lane, 100n - 3n - 2n - 21n)
    expect(await outcomes(there)).toMatchObject({
      M8: [expect.stringMatching(/^1 ethereum.ETH are missing/)],
    })
    await database.owner.query(sql`
      update payout set state = 'broadcast', included_tx_hash = null, included_height = null,
        included_block_hash = null, is_success = null, fee_minor = null where wallet = ${lane} and nonce = 1`)
    expect(await outcomes(there)).toMatchObject({ M8: expect.stringContaining('just mined') })
  })
})
