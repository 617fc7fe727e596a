import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { type BlockRef, type ChainReader, NodeError, type TransferAsset } from '../../src/chains/port.ts'
import { verify } from '../../src/verify/verify.ts'
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
  return isOfAsset ? payment.amountMinor : 0n
}

/** What verify tells of the chain, by invariant. */
async function outcomes(reader: ChainReader): Promise<Record<string, unknown>> {
  const { entries } = await verify({ db: database.db, methods, chains: [reader] })
  const ofChain = entries.filter(({ id }) => id.endsWith('-chain'))
  return Object.fromEntries(
    ofChain.map(({ id, examined, findings, skipped }) => [
      id,
      skipped ?? (findings.length > 0 ? findings : examined),
    ]),
  )
}

describe('verify with a node', () => {
  it('finds nothing where the chain holds what the books say', async () => {
    expect(await outcomes(node())).toEqual({ 'M7-chain': 21, 'M18-chain': 5 })
  })

  it('names the address that holds less than was booked', async () => {
    expect(await outcomes(withCoin(2, -1n))).toMatchObject({
      'M7-chain': [expect.stringContaining(`${addressOf(2)} was paid 1000000000123456789 ethereum/ETH`)],
    })
  })

  it('tells what came without a transaction, and calls no breach what any outsider can bring about', async () => {
    const { ok, entries } = await verify({ db: database.db, methods, chains: [withCoin(2, 5n)] })
    const custody = entries.find(({ id }) => id === 'M7-chain')
    expect(custody).toMatchObject({
      ok: true,
      findings: [],
      remarks: ['unattributed: 5 ethereum/ETH more than the books say, at 1 of 7 addresses'],
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
      'M7-chain': expect.stringContaining('another branch'),
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
})
